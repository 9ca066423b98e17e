"""Which addresses ask before an agent goes there: those that do something, not those that name a page."""

from __future__ import annotations

import pytest

from skillbook.policy import Call, Policy
from skillbook.policy.labels import says_change

PAGES = """
https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.merge.html
https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.drop.html
https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.update.html?highlight=update
https://pandas.pydata.org/docs/user_guide/merging.html
https://docs.python.org/3/library/os.html#os.remove
https://docs.python.org/3/library/stdtypes.html?highlight=remove#set.remove
https://numpy.org/doc/stable/reference/generated/numpy.delete.html
https://numpy.org/doc/stable/reference/generated/numpy.char.replace.html
https://docs.djangoproject.com/en/5.1/ref/contrib/admin/actions/
https://docs.djangoproject.com/en/5.1/topics/db/queries/#deleting-objects
https://developer.mozilla.org/en-US/docs/Web/API/Element/remove
https://developer.mozilla.org/en-US/docs/Web/API/Node/removeChild
https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Operators/delete
https://developer.mozilla.org/en-US/docs/Web/API/AbortController/abort
https://developer.mozilla.org/en-US/docs/Web/API/HTMLFormElement/submit
https://developer.mozilla.org/en-US/docs/Web/HTTP/Methods/DELETE
https://dev.mysql.com/doc/refman/8.0/en/delete.html
https://dev.mysql.com/doc/refman/8.0/en/kill.html
https://www.postgresql.org/docs/current/sql-delete.html
https://www.postgresql.org/docs/16/sql-merge.html
https://www.sqlite.org/lang_delete.html
https://kubernetes.io/docs/reference/kubectl/generated/kubectl_delete/
https://docs.docker.com/reference/cli/docker/container/kill/
https://git-scm.com/docs/git-merge
https://git-scm.com/docs/git-send-email
https://redis.io/docs/latest/commands/restart/
https://man7.org/linux/man-pages/man2/kill.2.html
https://man7.org/linux/man-pages/man1/git-merge.1.html
https://nodejs.org/api/process.html#processkillpid-signal
https://requests.readthedocs.io/en/latest/api/requests.delete.html
https://docs.stripe.com/api/refunds/cancel
https://docs.stripe.com/payments/accept-a-payment
https://docs.github.com/en/repositories/releasing-projects-on-github/about-releases
https://docs.github.com/en/account-and-profile/how-tos/email-preferences/unsubscribe
https://docs.gitlab.com/ee/user/project/merge_requests/
https://docs.aws.amazon.com/cli/latest/reference/s3api/delete-bucket.html
https://learn.microsoft.com/en-us/sql/t-sql/statements/delete-transact-sql
https://cloud.google.com/storage/docs/deleting-objects
https://www.php.net/manual/en/function.array-merge.php
https://www.php.net/manual/en/mysqli.kill.php
https://guides.rubyonrails.org/active_record_basics.html
https://api.rubyonrails.org/classes/ActiveRecord/Persistence.destroy.html
https://github.com/pandas-dev/pandas/blob/main/pandas/core/reshape/merge.py
https://github.com/python/cpython/tree/main/Lib/test/kill
https://github.com/torvalds/linux/blob/master/kernel/locking/unlock.c
https://en.wikipedia.org/wiki/Delete_key
https://en.wikipedia.org/wiki/Kill_Bill:_Volume_1
https://en.wikipedia.org/wiki/Buy_Nothing_Day
https://en.wikipedia.org/wiki/Reset_button
https://de.wikipedia.org/wiki/Zahlen
https://es.wikipedia.org/wiki/Salir
https://stackoverflow.com/questions/2793324/is-there-a-simple-way-to-delete-a-list-element-by-value
https://stackoverflow.com/questions/927358/how-do-i-undo-the-most-recent-local-commits-in-git
https://superuser.com/questions/12345/how-to-kill-a-process-in-windows
https://www.nytimes.com/2024/03/11/technology/how-to-cancel-subscriptions.html
https://www.bbc.com/news/technology-68541234
https://www.theguardian.com/money/2024/jan/12/why-firms-make-it-hard-to-cancel-a-contract
https://www.reuters.com/world/us/senate-votes-to-approve-budget-2024-03-08/
https://edition.cnn.com/2024/05/01/business/what-to-buy-at-the-supermarket/index.html
https://www.theverge.com/24067999/best-laptop-to-buy
https://arstechnica.com/gadgets/2024/01/apple-will-let-users-confirm-and-kill-background-apps/
https://www.heise.de/news/Wie-Nutzer-ihr-Konto-endgueltig-entfernen-9641234.html
https://www.wired.com/story/how-to-delete-your-old-accounts/
https://blog.cloudflare.com/why-we-kill-old-protocols/
https://www.amazon.com/Kill-Bill-Vol-Uma-Thurman/dp/B00005JMEW
https://www.ikea.com/us/en/cat/trash-cans-20609/
https://www.etsy.com/search?q=wall+clock+remove+easily
https://www.ebay.com/sch/i.html?_nkw=kill+switch
https://www.zalando.de/herrenschuhe/?sort=popularity
https://www.thalia.de/shop/home/artikeldetails/A1060000000
https://www.imdb.com/title/tt0266697/
https://www.gutenberg.org/files/1342/1342-h/1342-h.htm
https://arxiv.org/pdf/2401.00001.pdf
https://arxiv.org/abs/1706.03762
https://www.irs.gov/pub/irs-pdf/refund.pdf
https://pypi.org/project/merge-requirements-of-several-projects/
https://www.npmjs.com/package/delete-empty
https://crates.io/crates/merge
https://docs.rs/merge/latest/merge/
https://news.ycombinator.com/item?id=38000000
https://www.reddit.com/r/python/comments/abc123/how_do_i_remove_duplicates_from_a_list/
https://books.toscrape.com/catalogue/reset-the-clock_1/index.html
"""

ACTIONS = """
https://app.test/items/5/delete
https://app.test/items/5/delete/
https://app.test/items/5/delete.html
https://app.test/delete.html?id=5
https://app.test/delete.php
https://app.test/delete.php?id=5
https://app.test/account/delete.html
https://app.test/logout.html
https://app.test/user/logout.do
https://app.test/cart/pandas.remove.html?item=5
https://blog.test/wp-admin/post.php?post=7&action=delete&_wpnonce=1a2b3c
https://blog.test/wp-admin/post.php?post=7&action=trash&_wpnonce=1a2b3c
https://blog.test/wp-admin/plugins.php?action=deactivate&plugin=akismet
https://blog.test/wp-admin/comment.php?action=deletecomment&c=3
https://blog.test/wp-login.php?action=logout&_wpnonce=1a2b3c
https://blog.test/wp-admin/comment.php?c=3&action=approvecomment
https://shop.test/?remove_item=9f61408e3afb633e50cdf1b20de6f466
https://admin.test/admin/auth/user/3/delete/
https://admin.test/accounts/logout/
https://forum.test/posting.php?mode=delete&f=2&p=31
https://forum.test/ucp.php?mode=logout&sid=abc
https://forum.test/mcp.php?i=queue&mode=approve&p=31
https://forum.test/viewtopic.php?t=5&unwatch=topic&delete=1
https://wiki.test/index.php?title=Main_Page&action=delete
https://wiki.test/index.php?title=Main_Page&action=rollback&from=Bob&token=abc
https://wiki.test/w/index.php?title=Foo&action=purge
https://wiki.test/wiki/Special:UserLogout
https://wiki.test/wiki/Special:Unblock/Bob?action=submit
https://wiki.test/wiki/Home/_delete
https://wiki.test/docs/5/delete
https://wiki.test/docs/9f61408e-3afb-633e-50cd-f1b20de6f466/remove
https://docs.test/document/d/1AbCdEf23456789/delete
https://docs.test/delete?doc=5
https://jira.test/secure/DeleteIssue.jspa?id=10012
https://jira.test/secure/CancelSubscription!default.jspa?subId=3
https://jira.test/logout
https://jenkins.test/job/build/15/kill
https://jenkins.test/job/build/15/doDelete
https://jenkins.test/restart
https://github.test/o/r/pull/5/merge
https://github.test/logout
https://lists.test/options/python-dev?unsub=1&unsubscribe=bob
https://mail.test/newsletter/unsubscribe?token=abc123
https://shop.test/wishlist/index/remove/item/5/
https://shop.test/checkout/cart/delete/id/12/
https://shop.test/customer/account/logout/
https://shop.test/sales/order/cancel/order_id/15/
https://shop.test/index.php/admin/catalog_product/delete/id/7/key/abc/
https://shop.test/index.php?route=account/order/cancel&order_id=4
https://drupal.test/node/12/delete
https://drupal.test/user/logout
https://drupal.test/node/12/publish?token=abc
https://drupal.test/flag/unflag/bookmark/7?destroy=1
https://rails.test/posts/5/destroy
https://rails.test/posts/5/unpublish
https://rails.test/users/sign_out
https://rails.test/subscriptions/7/confirm?confirmation_token=xyz
https://phpmyadmin.test/sql.php?db=x&sql_query=DROP+TABLE+users
https://typo3.test/typo3/index.php?cmd[tt_content][3][delete]=1
https://joomla.test/administrator/index.php?option=com_content&task=articles.trash&cid=3
https://joomla.test/index.php?option=com_users&task=user.logout
https://moodle.test/course/delete.php?id=3
https://moodle.test/login/logout.php?sesskey=abc
https://bugs.test/bug_delete.php?bug_id=3
https://router.test/cgi-bin/reboot.cgi
https://router.test/restart.html
https://camera.test/factory_reset.asp?confirm=1
https://bank.test/transfer/confirm?id=991
https://app.test/deleteUser?id=3
https://app.test/user/deleteAccount
https://app.test/remove-from-cart/55
https://app.test/api/v1/items/delete?item=3
https://app.test/help/tickets/88/cancel
https://app.test/news/articles/17/unpublish
https://app.test/blog/delete-post/17
https://app.test/questions/17/delete
https://app.test/konto/loeschen
https://app.test/user/3/tree/5/delete
https://app.test/settings/permanently-delete-my-account
https://app.test/item-remove-from-cart/5
https://app.test/remove-this-item-from-my-cart/5
https://app.test/o/r/raw/5/delete
https://app.test/docs/delete-all
https://app.test/docs/latest/delete?version=5&id=3
https://app.test/panier/supprimer/3
https://app.test/carrito/eliminar?id=3
https://app.test/%64elete/3
"""


def verdict(url: str) -> str:
    policy = Policy.of([url])
    return policy.judge(Call("goto", actor="agent", url="about:blank", destination=url)).action


@pytest.mark.parametrize("url", PAGES.split())
def test_a_page_that_is_called_like_a_step_does_not_ask(url: str) -> None:
    assert verdict(url) == "allow"
    assert says_change(url) is None


@pytest.mark.parametrize("url", ACTIONS.split())
def test_fault_33_an_address_that_does_something_asks(url: str) -> None:
    assert verdict(url) == "ask"

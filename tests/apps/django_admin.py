"""Django's admin over three items, served until the standard input ends; prints its port.

Run with Django on the path: `PYTHONPATH=tests/apps/installed/django python tests/apps/django_admin.py FOLDER`. Whoever
comes is the administrator; with `login` as the second argument one has to sign in as admin, with the password
opensesame. With `office` there are more models, as an office's admin has them.
`/names` has the names of the items that are there, as JSON; `?add=NAME` adds one, `?anew` has the first three alone.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

FIRST = ("lamp", "chair", "table")
OFFICE = "office" in sys.argv[2:]
# This file is the application "shop" as well.
sys.modules["shop"] = sys.modules[__name__]
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(sys.argv[1]) / "db.sqlite3"}},
    DEBUG=True,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=[
        "shop",
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.messages",
        "django.contrib.sessions",
        "django.contrib.staticfiles",
        *(["django.contrib.sites", "django.contrib.flatpages", "django.contrib.redirects"] if OFFICE else []),
    ],
    SITE_ID=1,
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        *([] if "login" in sys.argv[2:] else ["__main__.as_administrator"]),
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY="for a test only",
    STATIC_URL="/static/",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpRequest, JsonResponse  # noqa: E402
from django.urls import path  # noqa: E402


class Item(models.Model):
    name = models.CharField(max_length=50)

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return self.name


def as_administrator(get_response: Any) -> Any:
    def respond(request: HttpRequest) -> Any:
        request.user = User.objects.get(username="admin")
        return get_response(request)

    return respond


def names(request: HttpRequest) -> JsonResponse:
    if "anew" in request.GET:
        Item.objects.all().delete()
        for number, name in enumerate(FIRST, 1):
            Item.objects.create(id=number, name=name)
    if name := request.GET.get("add"):
        Item.objects.create(name=name)
    return JsonResponse(sorted(Item.objects.values_list("name", flat=True)), safe=False)


class ItemAdmin(admin.ModelAdmin):
    search_fields = ("name",)
    list_display = ("id", "name")


def open_office() -> None:
    """What an office's admin has besides: groups, users, texts and redirects."""
    from django.contrib.auth.models import Group
    from django.contrib.flatpages.models import FlatPage
    from django.contrib.redirects.models import Redirect
    from django.contrib.sites.models import Site

    for name in ("Editors", "Accountants"):
        Group.objects.create(name=name)
    for name in ("ann", "bob"):
        User.objects.create_user(name, password="opensesame")
    site = Site.objects.get()
    for address, title in (("/imprint/", "Imprint"), ("/opening-hours/", "Opening hours")):
        FlatPage.objects.create(url=address, title=title).sites.add(site)
    Redirect.objects.create(site=site, old_path="/old-shop/", new_path="/")


admin.site.register(Item, ItemAdmin)
if OFFICE:
    from django.contrib.admin.models import LogEntry
    from django.contrib.auth.models import Permission
    from django.contrib.contenttypes.models import ContentType
    from django.contrib.sessions.models import Session

    admin.site.register([LogEntry, Permission, ContentType, Session])
urlpatterns = [path("admin/", admin.site.urls), path("names", names)]


class Server(ThreadingMixIn, WSGIServer):
    # A browser opens connections that it doesn't use at once.
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


def main() -> None:
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Item)
    User.objects.create_superuser("admin", password="opensesame")
    for name in FIRST:
        Item.objects.create(name=name)
    if OFFICE:
        open_office()
    application = StaticFilesHandler(get_wsgi_application())
    server = make_server("127.0.0.1", 0, application, Server, Quiet)
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    sys.stdin.read()


main()

"""Serves one web application from PyPI until the standard input ends; prints its port first.

Run with them on the path: `PYTHONPATH=tests/apps/installed/web python tests/apps/web_apps.py NAME FOLDER`, where NAME
is datasette, flask-admin, sqlite-web, radicale, mkdocs or klaus, and FOLDER an empty folder. For sqladmin, roundup and
otterwiki the path is tests/apps/installed/more, for moin, another wiki, tests/apps/installed/moin.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

CITIES = [
    ("Ulm", "Germany", 126),
    ("Lyon", "France", 522),
    ("Porto", "Portugal", 231),
    ("Ghent", "Belgium", 265),
]


def database(folder: Path) -> Path:
    """A file with 120 people in four cities."""
    path = folder / "people.db"
    with sqlite3.connect(path) as made:
        made.execute("create table city (id integer primary key, name text, country text, size integer)")
        made.executemany("insert into city (name, country, size) values (?, ?, ?)", CITIES)
        made.execute(
            "create table person (id integer primary key, name text, email text, city text, age integer)"
        )
        made.executemany(
            "insert into person (name, email, city, age) values (?, ?, ?, ?)",
            [(f"Person {n}", f"p{n}@x.test", CITIES[n % 4][0], 20 + n % 50) for n in range(1, 121)],
        )
    return path


def datasette(folder: Path) -> Any:
    from datasette.app import Datasette

    return Datasette([str(database(folder))], settings={"default_page_size": 20}).app()


def flask_admin(folder: Path) -> Any:
    from flask import Flask
    from flask_admin import Admin
    from flask_admin.contrib.sqla import ModelView
    from flask_sqlalchemy import SQLAlchemy

    app = Flask("people")
    app.config.update(SECRET_KEY="for a test only", SQLALCHEMY_DATABASE_URI=f"sqlite:///{database(folder)}")
    stored = SQLAlchemy(app)

    class Person(stored.Model):  # type: ignore[name-defined,misc]
        id = stored.Column(stored.Integer, primary_key=True)
        name = stored.Column(stored.String)
        email = stored.Column(stored.String)
        city = stored.Column(stored.String)
        age = stored.Column(stored.Integer)

    class People(ModelView):  # type: ignore[misc]
        column_searchable_list = ("name", "city")
        column_filters = ("city", "age")

    admin = Admin(app, name="People")
    admin.add_view(People(Person, stored.session))
    return app


def sqlite_web(folder: Path) -> Any:
    import sqlite_web.sqlite_web as web

    web.initialize_app([str(database(folder))])
    return web.app


def radicale(folder: Path) -> Any:
    from radicale import Application, config

    users = folder / "users"
    users.write_text("ann:opensesame\n", encoding="utf-8")
    configuration = config.load()
    configuration.update(
        {
            "auth": {"type": "htpasswd", "htpasswd_filename": str(users), "htpasswd_encryption": "plain"},
            "storage": {"filesystem_folder": str(folder / "collections")},
        },
        "test",
    )
    return Application(configuration)


def mkdocs(folder: Path) -> Any:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    pages = folder / "docs"
    pages.mkdir()
    for name, text in (
        ("index", "Welcome"),
        ("install", "Install it with pip"),
        ("lamps", "All about lamps"),
    ):
        (pages / f"{name}.md").write_text(f"# {name.title()}\n\n{text}.\n", encoding="utf-8")
    settings = folder / "mkdocs.yml"
    settings.write_text(
        f"site_name: Handbook\nsite_url: ''\nuse_directory_urls: false\ndocs_dir: {pages}\n", encoding="utf-8"
    )
    build(load_config(str(settings), site_dir=str(folder / "site")))
    return folder / "site"


def klaus(folder: Path) -> Any:
    from dulwich import porcelain
    from klaus import make_app

    place = folder / "lamps"
    porcelain.init(str(place))
    for number in range(1, 31):
        (place / "README.md").write_text(f"# Lamps\n\nVersion {number}.\n", encoding="utf-8")
        porcelain.add(str(place), [str(place / "README.md")])
        porcelain.commit(
            str(place),
            message=f"Version {number}".encode(),
            author=b"Ann <ann@x.test>",
            committer=b"Ann <ann@x.test>",
        )
    return make_app([str(place)], "Workshop")


def moin(folder: Path) -> Any:
    """The wiki with the help pages that come with it, below /help-en."""

    def run(*arguments: str) -> None:
        code = f"import sys; sys.argv[1:] = {arguments!r}; from moin.cli import cli; cli()"
        subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run("create-instance", "--path", str(folder))
    run("index-create")
    for namespace in ("help-en", "help-common"):
        run("load-help", "--namespace", namespace)
    os.chdir(folder)
    from moin.app import create_app

    return create_app(str(folder / "wikiconfig.py"))


def sqladmin(folder: Path) -> Any:
    from sqladmin import Admin, ModelView
    from sqlalchemy import Column, Integer, String, create_engine
    from sqlalchemy.orm import declarative_base
    from starlette.applications import Starlette

    class Person(declarative_base()):  # type: ignore[misc]
        __tablename__ = "person"
        id = Column(Integer, primary_key=True)
        name = Column(String)
        email = Column(String)
        city = Column(String)
        age = Column(Integer)

    class People(ModelView, model=Person):  # type: ignore[misc,call-arg]
        name_plural = "People"
        column_list = ("id", "name", "city", "age")
        column_searchable_list = ("name", "city")

    app = Starlette()
    Admin(app, create_engine(f"sqlite:///{database(folder)}")).add_view(People)
    return app


def roundup(folder: Path) -> Any:
    """A tracker with its demo's users, admin and demo, and thirty issues."""
    from roundup import instance
    from roundup.cgi.wsgi_handler import RequestDispatcher
    from roundup.demo import install_demo

    os.chdir(Path(sys.modules["roundup"].__file__ or "").parents[1])
    home = str(folder / "tracker")
    install_demo(home, "anydbm", "classic")
    database = instance.open(home).open("admin")
    for number in range(1, 31):
        database.issue.create(title=f"Lamp {number} flickers", priority=str(1 + number % 5), status="1")
    database.commit()
    database.close()
    dispatch = RequestDispatcher(home)

    def application(environ: dict[str, Any], start: Any) -> Any:
        dispatch.tracker.config["TRACKER_WEB"] = f"http://{environ['HTTP_HOST']}/"
        return dispatch(environ, start)

    return application


def otterwiki(folder: Path) -> Any:
    pages = folder / "pages"
    subprocess.run(["git", "init", "-q", str(pages)], check=True)
    os.environ |= {
        "REPOSITORY": str(pages),
        "SECRET_KEY": "only for a test of ours",
        "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder / 'wiki.db'}",
        "SITE_NAME": "Lamps",
        "READ_ACCESS": "ANONYMOUS",
        "WRITE_ACCESS": "ANONYMOUS",
        "ATTACHMENT_ACCESS": "ANONYMOUS",
    }
    for name, text in (("home", "Welcome"), ("bulbs", "All about bulbs"), ("shades", "Shades of paper")):
        (pages / f"{name}.md").write_text(f"# {name.title()}\n\n{text}.\n", encoding="utf-8")
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@x.test")
    subprocess.run(["git", "-C", str(pages), "add", "."], check=True)
    subprocess.run(["git", *who, "-C", str(pages), "commit", "-qm", "Three pages"], check=True)
    import otterwiki.views  # noqa: F401
    from otterwiki.server import app

    return app


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


def serve_wsgi(application: Any) -> None:
    server = make_server("127.0.0.1", 0, application, Server, Quiet)
    announce(server.server_port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    sys.stdin.read()


def serve_asgi(application: Any) -> None:
    import socket

    import uvicorn

    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    bound.listen()
    server = uvicorn.Server(uvicorn.Config(application, log_level="critical"))
    announce(bound.getsockname()[1])
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    asyncio.run(server.serve(sockets=[bound]))


def serve_files(folder: Path) -> None:
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    announce(server.server_port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    sys.stdin.read()


def announce(port: int) -> None:
    """Write the port to the real standard output, whatever the application printed."""
    os.write(OUT, f"{port}\n".encode())


# What applications print as they start isn't the port.
OUT = os.dup(1)
os.dup2(2, 1)


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    made = globals()[name.replace("-", "_")](folder)
    serve = (
        serve_asgi
        if name in {"datasette", "sqladmin"}
        else serve_files
        if isinstance(made, Path)
        else serve_wsgi
    )
    serve(made)


main()

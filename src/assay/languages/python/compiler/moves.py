"""Imports from `six.moves`, written as Python 3 has them.

The package makes its modules when somebody asks for them: `from six.moves.collections_abc import Mapping` is
`from collections.abc import Mapping`, by way of an importer of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

MOVES = "six.moves"
MODULES = {
    "BaseHTTPServer": "http.server",
    "CGIHTTPServer": "http.server",
    "SimpleHTTPServer": "http.server",
    "_thread": "_thread",
    "builtins": "builtins",
    "cPickle": "pickle",
    "collections_abc": "collections.abc",
    "configparser": "configparser",
    "copyreg": "copyreg",
    "email_mime_base": "email.mime.base",
    "email_mime_multipart": "email.mime.multipart",
    "email_mime_text": "email.mime.text",
    "html_entities": "html.entities",
    "html_parser": "html.parser",
    "http_client": "http.client",
    "http_cookiejar": "http.cookiejar",
    "http_cookies": "http.cookies",
    "queue": "queue",
    "reprlib": "reprlib",
    "socketserver": "socketserver",
    "urllib.error": "urllib.error",
    "urllib.parse": "urllib.parse",
    "urllib.request": "urllib.request",
    "urllib.response": "urllib.response",
    "urllib.robotparser": "urllib.robotparser",
    "urllib_error": "urllib.error",
    "urllib_parse": "urllib.parse",
    "urllib_robotparser": "urllib.robotparser",
    "xmlrpc_client": "xmlrpc.client",
    "xmlrpc_server": "xmlrpc.server",
}
PARTS = {
    "StringIO": ("io", "StringIO"),
    "UserDict": ("collections", "UserDict"),
    "UserList": ("collections", "UserList"),
    "UserString": ("collections", "UserString"),
    "cStringIO": ("io", "StringIO"),
    "getcwd": ("os", "getcwd"),
    "reload_module": ("importlib", "reload"),
    "shlex_quote": ("shlex", "quote"),
}


def write_moves(tree: ast.Module) -> None:
    """Changes the tree."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and any(isinstance(one, ast.Import | ast.ImportFrom) for one in body):
                body[:] = [written for one in body for written in as_python_3(one)]


def as_python_3(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                module = MODULES.get(alias.name.removeprefix(f"{MOVES}."), "")
                if alias.asname and module and alias.name.startswith(f"{MOVES}."):
                    alias.name = module
            yield node
        case ast.ImportFrom(module=str(name), names=names, level=0) if name in {MOVES, f"{MOVES}.urllib"}:
            prefix = name.removeprefix(MOVES).removeprefix(".")
            for alias in names:
                yield ast.copy_location(moved(name, f"{prefix}.{alias.name}" if prefix else "", alias), node)
        case ast.ImportFrom(module=str(name), level=0) if name.startswith(f"{MOVES}."):
            node.module = MODULES.get(name.removeprefix(f"{MOVES}."), name)
            yield node
        case _:
            yield node


def moved(home: str, inner: str, alias: ast.alias) -> ast.stmt:
    """The statement that imports one name of `six.moves`, or of a package in it."""
    bound = alias.asname or alias.name
    if module := MODULES.get(inner or alias.name):
        return ast.Import([ast.copy_location(ast.alias(module, bound), alias)])
    if not inner and alias.name in PARTS:
        module, part = PARTS[alias.name]
        return ast.ImportFrom(module, [ast.copy_location(ast.alias(part, bound), alias)], 0)
    return ast.ImportFrom(home, [alias], 0)

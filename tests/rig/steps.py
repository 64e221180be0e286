# SPDX-License-Identifier: Apache-2.0
"""steps.py - what the scenarios of every store do: the calls of a bucket's life, alone or two at once."""

# Of a backend: what goes wrong shows soon, and is not tried again.
QUICK = {"request_timeout": "1s", "connect_timeout": "1s", "retries": 0}
# What may be answered while a store hangs or restarts, and to a call that another was cut off before.
PASSING = "DEADLINE_EXCEEDED|UNAVAILABLE|ABORTED"


def steps(client, name):
    """Every call that reaches the store, to be made one after the other."""
    return [lambda: client.create(name), lambda: client.grant(f"shop.{name}", f"ba-{name}"),
            lambda: client.revoke(f"shop.cosi-ba-{name}", f"shop.{name}"),
            lambda: client.delete(f"shop.{name}")]


def live(client, name):
    """Each of them once, and each is OK."""
    for step in steps(client, name):
        step()


def run(client, operation, name, settings=None):
    """One call by its name; "settings" is a create with some, "again" and "repeat" are second ones."""
    create, grant, revoke, delete = steps(client, name)
    {"create": create, "again": create, "settings": lambda: client.create(name, settings),
     "grant": grant, "repeat": grant, "revoke": revoke, "delete": delete}[operation]()


def lifecycle(client, shop, name):
    """Create, grant, revoke, delete until each is OK: what a sidecar does after a restart."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    key = shop.client(access)
    assert key.put(name, "object", b"content").status == shop.stored
    assert key.get(name, "object").body == b"content"
    assert key.remove(name, "object").status == shop.removed
    client.revoke(access.account_id, bucket)
    assert key.get(name, "object").status == 403
    client.delete(bucket)


def both(clients, make):
    """The same call through all of them at once, each repeated until it is OK: the replies."""
    running = [(c, *make(c)) for c in clients]
    calls = [c.start(method, **fields) for c, method, fields in running]
    replies = []
    for call, (c, method, fields) in zip(calls, running):
        while call.exception() is not None:
            assert call.code().name in ("ABORTED", "UNAVAILABLE"), call.details()
            call = c.start(method, **fields)
        replies.append(call.result())
    return replies

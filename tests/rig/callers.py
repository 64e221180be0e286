# SPDX-License-Identifier: Apache-2.0
"""callers.py - callers that never pause, on lasting and on new connections, and what they were refused."""
import itertools
import threading

import grpc

from rig.client import V1, check_refusal


def connect(path):
    """As clients are by themselves: with the retries that gRPC makes of calls that never left."""
    client = V1(path)
    client.close()
    client.channel = grpc.insecure_channel(f"unix:{path}", options=[("grpc.use_local_subchannel_pool", 1)])
    return client


class Callers:
    """Each makes a bucket and deletes it, over and over; `failures` are (code, text)."""

    THREADS, NEW_CONNECTION_EVERY = 8, 5

    def __init__(self, path):
        self.path, self.failures, self.done = path, [], 0
        self.changed, self.ended = threading.Condition(), False
        self.threads = [threading.Thread(target=self._run, args=[n]) for n in range(self.THREADS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.ended = True
        for thread in self.threads:
            thread.join()

    def wait(self, calls):
        """Until that many more have succeeded."""
        with self.changed:
            before = self.done
            assert self.changed.wait_for(lambda: self.done >= before + calls, 120), self.failures

    def _until_done(self, call, *arguments):
        while True:
            try:
                return call(*arguments)
            except grpc.RpcError as error:
                with self.changed:
                    self.failures.append(check_refusal(error))
                if self.ended:
                    return None

    def _run(self, number):
        client = connect(self.path)
        for n in itertools.count():
            if self.ended:
                break
            if number % 2 and n % self.NEW_CONNECTION_EVERY == 0:
                client.close()
                client = connect(self.path)
            self._until_done(client.create, f"caller-{number}-{n}")
            self._until_done(client.delete, f"files.caller-{number}-{n}")
            with self.changed:
                self.done += 2
                self.changed.notify_all()
        client.close()

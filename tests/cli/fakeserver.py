# SPDX-License-Identifier: Apache-2.0
"""fakeserver.py - a COSI server that answers what it is told to, and remembers what it was asked.

For the answers that a real cosid cannot be made to give: every status code, hostile text, protocols
that no store here has.  What cosid really answers is tested with the real one, in the scenarios.
"""
import concurrent.futures

import grpc

from rig import proto


class FakeServer(grpc.GenericRpcHandler):
    """server.answers[method] = bytes or message, or (code, text); server.asked = [(api_version, method, message)]."""

    def __init__(self, socket):
        self.endpoint = f"unix://{socket}"
        self.answers, self.asked = {}, []
        self._known = {proto.methods(api_version)[method][0]: (api_version, method)
                       for api_version in proto.PACKAGE for method in proto.methods(api_version)}
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        self._server.add_generic_rpc_handlers([self])
        self._server.add_insecure_port(f"unix:{socket}")

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self._server.stop(None).wait()

    def service(self, call):
        if call.method not in self._known:
            return None
        api_version, method = self._known[call.method]
        _, request, reply = proto.methods(api_version)[method]

        def answer(body, context):
            self.asked.append((api_version, method, request.FromString(body)))
            found = self.answers.get(method, reply())
            if isinstance(found, tuple):
                context.abort(*found)
            if callable(found):
                found = found(context)
            return found if isinstance(found, bytes) else found.SerializeToString()

        return grpc.unary_unary_rpc_method_handler(answer)

    def last(self):
        return self.asked[-1]

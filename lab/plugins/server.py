"""A gRPC server as the Pulumi engine expects a plugin to be: its port is the first line that it prints."""

import signal
import sys
import threading
from collections.abc import Callable
from concurrent import futures

import grpc

ANY_SIZE = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


def serve(add: Callable[[grpc.Server], None], workers: int = 32) -> None:
    """Serve until the engine ends this process.

    Args:
        add: Adds the service to the server.
        workers: Calls answered at the same time.
    """
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=workers), options=ANY_SIZE)
    add(server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
    server.stop(grace=None)

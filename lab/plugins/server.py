"""A gRPC server as the Pulumi engine expects a plugin to be: its port is the first line that it prints."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent import futures

import grpc

ANY_SIZE = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
LOOK_SECONDS = 2


def serve(add: Callable[[grpc.Server], None], workers: int = 32) -> None:
    """Serve until the engine ends this process, or is no longer there.

    Args:
        add: Adds the service to the server.
        workers: Calls answered at the same time.
    """
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=workers), options=ANY_SIZE)
    add(server)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    when_the_engine_is_gone(ended.set)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ended.wait()
    server.stop(grace=None)


def when_the_engine_is_gone(end: Callable[[], object]) -> None:
    """Watch the process that started this one: an engine that was killed ends no plugins.

    Args:
        end: Called once that process is gone, in a thread.
    """
    engine = os.getppid()

    def watch() -> None:
        while os.getppid() == engine:
            time.sleep(LOOK_SECONDS)
        end()

    threading.Thread(target=watch, daemon=True).start()

"""``python -m lab.plugins.aws``: the plugin process."""

from pulumi.runtime.proto import provider_pb2_grpc

from lab.plugins.aws.provider import Provider
from lab.plugins.server import serve

if __name__ == "__main__":
    serve(lambda server: provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(), server))

// The one import of a gateway written in Swift: the reactive client, endpoints and the server.

@_exported public import GatewayCore
@_exported public import GatewayHTTP
@_exported public import HTTPModel
@_exported public import JSONBytes
@_exported public import JSONCoding
@_exported public import Networking
@_exported public import NetworkingSession
@_exported public import Rx

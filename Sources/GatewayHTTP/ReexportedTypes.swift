// The types that `GatewayServerConfiguration.connections` uses.

@_exported public import struct EventIO.TLSConfiguration
@_exported public import class EventIO.TLSContext
@_exported public import struct EventIO.TLSError
@_exported public import struct HTTPOutbound.NoProxy
@_exported public import struct HTTPOutbound.ProxyConfiguration

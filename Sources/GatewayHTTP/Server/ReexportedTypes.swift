// `GatewayServerConfiguration` and the types of its properties.

@_exported public import struct EventIO.DNSSettings
@_exported public import struct EventIO.TLSConfiguration
@_exported public import class EventIO.TLSContext
@_exported public import struct EventIO.TLSError
@_exported public import struct GatewayConfig.AdminAddress
@_exported public import struct GatewayConfig.AdminSettings
@_exported public import struct GatewayConfig.AdminToken
@_exported public import struct GatewayConfig.BuiltInFile
@_exported public import struct GatewayConfig.CompressionSettings
@_exported public import struct GatewayConfig.FinishedRequest
@_exported public import struct GatewayConfig.GatewayServerConfiguration
@_exported public import struct GatewayConfig.HostNames
@_exported public import enum GatewayConfig.LogLevel
@_exported public import struct GatewayConfig.StaticFiles
@_exported public import struct HTTPInbound.InboundLimits
@_exported public import enum HTTPInbound.InboundOutcome
@_exported public import struct HTTPOutbound.NoProxy
@_exported public import struct HTTPOutbound.OutboundLimits
@_exported public import struct HTTPOutbound.OutboundProxy
@_exported public import struct Networking.UpstreamCompression
@_exported public import struct Networking.UpstreamPolicy
@_exported public import struct Networking.UpstreamURLs
@_exported public import struct NetworkingSession.ConnectionSettings
@_exported public import struct Resilience.RetryBudget

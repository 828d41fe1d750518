import GatewayCore
import HTTPInbound

extension BodyCharge: RequestMemory {}

import GatewayCore

/// All endpoints of `sluice serve`.
enum AppEndpoints {
    /// - Parameter hasVisitors: whether upstreams get to know the visitor of the demo, whose faults they
    ///   simulate.
    static func declare(on gateway: Gateway, hasVisitors: Bool = false) {
        let gateway = AppGateway(gateway, hasVisitors: hasVisitors)
        WeightEndpoints.declare(on: gateway)
        WeatherEndpoints.declare(on: gateway)
        PlaceEndpoints.declare(on: gateway)
        UserEndpoints.declare(on: gateway)
        TagEndpoints.declare(on: gateway)
        HomeEndpoint.declare(on: gateway)
        PictureEndpoints.declare(on: gateway)
    }
}

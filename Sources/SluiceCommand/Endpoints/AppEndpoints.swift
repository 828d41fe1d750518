import GatewayCore

/// All endpoints of `sluice serve`.
enum AppEndpoints {
    static func declare(on gateway: Gateway) {
        WeightEndpoints.declare(on: gateway)
        WeatherEndpoints.declare(on: gateway)
        PlaceEndpoints.declare(on: gateway)
        UserEndpoints.declare(on: gateway)
        TagEndpoints.declare(on: gateway)
        HomeEndpoint.declare(on: gateway)
    }
}

import GatewayCore
import SampleUpstreams

/// All endpoints of `sluice serve`.
enum AppEndpoints {
    /// - Parameter hasVisitors: whether each endpoint forwards `Demo-Visitor` to its upstreams, so that they
    ///   fail only for the visitor of the demo who broke them.
    static func declare(on gateway: Gateway, hasVisitors: Bool = false) {
        PictureEndpoints.declare(
            on: gateway, hasVisitors ? .standard.adding(request: SampleVisitor.field) : .standard)
        guard hasVisitors else { return declareScreens(on: gateway) }
        gateway.group("", .forwards(SampleVisitor.field)) { screens in
            screens.before { request in _ = try request.visitor() }
            declareScreens(on: screens)
        }
    }

    private static func declareScreens(on gateway: Gateway) {
        WeightEndpoints.declare(on: gateway)
        WeatherEndpoints.declare(on: gateway)
        PlaceEndpoints.declare(on: gateway)
        UserEndpoints.declare(on: gateway)
        TagEndpoints.declare(on: gateway)
        HomeEndpoint.declare(on: gateway)
    }
}

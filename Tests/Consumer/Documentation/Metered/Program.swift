import Sluice

@main
struct Program {
    static func main() {
        let metrics = Metrics()
        var program = GatewayProgram(name: "metered", version: "1.0.0")
        program.configuration = configuration(folder: "Public", metrics)
        GatewayServer.main(program) { gateway, _ in declareMetrics(on: gateway, metrics) }
    }
}

func configuration(folder: String, _ metrics: Metrics) -> GatewayServerConfiguration {
    var files = StaticFiles.folder(folder)
    files.maxAge = .seconds(3600)

    var configuration = GatewayServerConfiguration()
    configuration.files = files
    configuration.observer = { request in metrics.add(request) }
    configuration.cors = CORSPolicy(origins: .list(["https://shop.example"]))
    return configuration
}

func declareMetrics(on gateway: Gateway, _ metrics: Metrics) {
    gateway.get("/metrics") { _ in .text(metrics.text) }
}

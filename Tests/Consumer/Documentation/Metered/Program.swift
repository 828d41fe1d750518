import Sluice

@main
struct Program {
    static func main() {
        var program = GatewayProgram(name: "metered", version: "1.0.0")
        program.configuration = configuration(folder: "Public")
        GatewayServer.main(program) { gateway, _ in declareOrders(on: gateway) }
    }
}

func configuration(folder: String) -> GatewayServerConfiguration {
    var files = StaticFiles.folder(folder)
    files.maxAge = .seconds(3600)

    var configuration = GatewayServerConfiguration()
    configuration.files = files
    configuration.cors = CORSPolicy(origins: .list(["https://shop.example"]))
    return configuration
}

import Shop
import Sluice

/// The shop's gateway, with the flags of `sluice serve` and two of its own.
@main
struct ShopGateway {
    static func main() {
        var program = GatewayProgram(name: "shop", version: "1.0.0")
        program.flags = [
            ProgramFlag(
                name: "api-keys", placeholder: "KEYS", help: "keys of the apps, separated by commas",
                fallback: "demo"),
            ProgramFlag(
                name: "cors-origin", placeholder: "ORIGIN", help: "origin whose scripts may call",
                fallback: "https://shop.example", mayRepeat: true),
        ]
        program.configure = { configuration, arguments in
            let origins = arguments.all("cors-origin")
            configuration.cors = CORSPolicy(
                origins: .list(origins.isEmpty ? ["https://shop.example"] : origins),
                headers: [.contentType, .authorization, "X-API-Key"])
        }
        GatewayServer.main(program) { gateway, arguments in
            let keys = (arguments.string("api-keys") ?? "demo").split(separator: ",").map(String.init)
            guard !keys.isEmpty else { throw UsageError(message: "--api-keys names no key") }
            declareShop(on: gateway, apiKeys: Set(keys))
        }
    }
}

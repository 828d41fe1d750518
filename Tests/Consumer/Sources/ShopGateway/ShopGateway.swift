import Shop
import Sluice

/// The shop's gateway, with the flags of `sluice serve` and one of its own.
@main
struct ShopGateway {
    static func main() {
        var program = GatewayProgram(name: "shop", version: "1.0.0")
        program.flags = [
            ProgramFlag(
                name: "api-keys", placeholder: "KEYS", help: "keys of the apps, separated by commas",
                fallback: "demo")
        ]
        program.configuration.cors = CORSPolicy(
            origins: .list(["https://shop.example"]), headers: [.contentType, .authorization, "X-API-Key"])
        GatewayServer.main(program) { gateway, arguments in
            let keys = (arguments.string("api-keys") ?? "demo").split(separator: ",").map(String.init)
            guard !keys.isEmpty else { throw UsageError(message: "--api-keys names no key") }
            declareShop(on: gateway, apiKeys: Set(keys))
        }
    }
}

import Sluice

@main
struct Program {
    static func main() {
        GatewayServer.main { gateway in
            gateway.get("/hello") { request in
                .text("Hello, \(try request.query("name", as: String.self))\n")
            }
        }
    }
}

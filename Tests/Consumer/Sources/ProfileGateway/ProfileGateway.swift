import Profile
import Sluice

@main
struct ProfileGateway {
    static func main() {
        GatewayServer.main(declare: declareProfile)
    }
}

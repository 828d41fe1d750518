import Foundation
import Profile
import Sluice

@main
struct ProfileGateway {
    static func main() {
        exit(GatewayServer.run(declare: declareProfile))
    }
}

import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx

/// User profiles by name.
struct UserEndpoints {
    private let users: Provider<UsersAPI>

    static func declare(on gateway: Gateway) {
        UserEndpoints(users: gateway.provider(UsersAPI.self, upstream: "users")).declare(on: gateway)
    }

    private func declare(on gateway: Gateway) {
        gateway.get("/api/users/{name}") { request in
            let name = try request.path("name", as: UserName.self)
            return .parts(user: users.rx.request(.user(name)).fragment(at: UsersAPI.profile, as: .object))
        }
    }
}

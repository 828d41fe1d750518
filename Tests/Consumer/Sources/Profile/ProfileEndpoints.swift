import Sluice

/// The API of a user service.
public enum UsersAPI: TargetType {
    case user(String)
    case badges(String)

    public var baseURL: String { "http://users.internal" }

    public var path: RequestPath {
        switch self {
        case .user(let name): "/users/\(name)"
        case .badges(let name): "/users/\(name)/badges"
        }
    }
}

public struct Greeting: Encodable, JSONRepresentable, Sendable {
    public var text: String
}

/// The profile screen: the user is required, the badges have a fallback.
public func declareProfile(on gateway: Gateway) {
    let users = gateway.provider(UsersAPI.self, upstream: "users")

    gateway.get("/api/profile/{name}") { request in
        let name = try request.path("name", as: String.self)
        let user = users.rx.request(.user(name)).fragment().share()
        return .parts(
            user: user,
            badges: users.rx.request(.badges(name)).fragment().fallback([]),
            greeting: user.map { Greeting(text: "Hello, \(try $0.decode(String.self, at: "/name"))") })
    }

    gateway.get("/api/hello") { request async throws -> Answer in
        .json(Greeting(text: "Hello, \(try request.query("name", as: String.self))"))
    }
}

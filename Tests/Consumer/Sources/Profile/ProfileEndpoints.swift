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

struct User: Decodable, Sendable {
    var name: String
}

/// The profile screen: the user is required, the badges have a fallback.
public func declareProfile(on gateway: Gateway) {
    let users = gateway.provider(UsersAPI.self, upstream: "users")

    gateway.get("/api/profile/{name}") { request in
        let name = try request.path("name", as: String.self)
        return .parts(
            user: users.rx.request(.user(name)).fragment(),
            badges: users.rx.request(.badges(name)).fragment().fallback([String]()),
            greeting: users.rx.request(.user(name)).map(User.self).map { Greeting(text: "Hello, \($0.name)") }
        )
    }

    gateway.get("/api/hello") { request async throws -> Answer in
        .json(Greeting(text: "Hello, \(try request.query("name", as: String.self))"))
    }
}

import GatewayCore
import HTTPModel
import Networking

// The upstreams that the recipes call.

/// Products, their reviews and how many are left.
enum CatalogAPI: TargetType {
    case product(Int)
    case reviews(Int)
    case stock(Int)
    case export

    var baseURL: String { "http://catalog.internal" }

    var path: RequestPath {
        switch self {
        case .product(let id): "/products/\(id)"
        case .reviews(let id): "/products/\(id)/reviews"
        case .stock(let id): "/products/\(id)/stock"
        case .export: "/export.csv"
        }
    }
}

/// Who sells a product.
enum SellersAPI: TargetType {
    case seller(Int)

    var baseURL: String { "http://sellers.internal" }

    var path: RequestPath {
        switch self {
        case .seller(let id): "/sellers/\(id)"
        }
    }
}

/// Who is signed in, and what is in the cart.
enum AccountsAPI: TargetType {
    case session
    case cart(user: String)
    case add(CartItem, user: String)

    var baseURL: String { "http://accounts.internal" }

    var path: RequestPath {
        switch self {
        case .session: "/session"
        case .cart(let user): "/carts/\(user)"
        case .add(_, let user): "/carts/\(user)/items"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .session, .cart: .get
        case .add: .post
        }
    }

    var task: RequestTask {
        switch self {
        case .session, .cart: .plain
        case .add(let item, _): .json(item)
        }
    }
}

struct CartItem: Codable, Sendable {
    var product: Int
    var count: Int
}

struct Account: Decodable, Sendable {
    var user: String
}

/// The charts of a food diary, in the envelope `{"code","message","status","data"}`.
enum WeightsAPI: TargetType {
    enum Span: String, Sendable {
        case recent, total
    }

    case weights(CalendarDate, Span)

    var baseURL: String { "http://weights.internal" }

    var path: RequestPath {
        switch self {
        case .weights(let date, let span): "/weights/\(date)/\(span.rawValue)"
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}

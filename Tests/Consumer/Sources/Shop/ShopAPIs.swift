import Sluice

/// Products and their reviews.
enum CatalogAPI: TargetType {
    case product(Int)
    case reviews(Int)

    var baseURL: String { "http://127.0.0.1:9001" }

    var path: RequestPath {
        switch self {
        case .product(let id): "/products/\(id)"
        case .reviews(let id): "/products/\(id)/reviews"
        }
    }
}

/// How many of a product are left.
enum StockAPI: TargetType {
    case stock(Int)

    var baseURL: String { "http://127.0.0.1:9001" }

    var path: RequestPath {
        switch self {
        case .stock(let id): "/stock/\(id)"
        }
    }
}

/// Who sells a product.
enum SellersAPI: TargetType {
    case seller(Int)

    var baseURL: String { "http://127.0.0.1:9001" }

    var path: RequestPath {
        switch self {
        case .seller(let id): "/sellers/\(id)"
        }
    }
}

/// Who is signed in, and what is in the cart. It gets the caller's `Authorization`.
enum AccountsAPI: TargetType {
    case session
    case cart(user: String)
    case add(CartItem, user: String)

    var baseURL: String { "http://127.0.0.1:9001" }

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

/// One line of a cart.
struct CartItem: Codable, Sendable {
    var product: Int
    var count: Int
}

/// The signed-in user.
struct Session: Decodable, Sendable {
    var user: String
}

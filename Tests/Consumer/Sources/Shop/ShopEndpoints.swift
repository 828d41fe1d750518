import Sluice

extension ErrorCode {
    static let cartLimit = ErrorCode("CART_LIMIT", status: .conflict, title: "The cart cannot take so many")
}

/// The screens of a shop's app.
///
/// - Parameters:
///   - gateway: where they are declared.
///   - apiKeys: the keys of the apps that may call.
public func declareShop(on gateway: Gateway, apiKeys: Set<String>) {
    // Every request needs a key, also one that no endpoint takes. Health checks need none.
    gateway.before { request in
        guard let key = request.header("X-API-Key"), apiKeys.contains(key) else {
            throw GatewayError.unauthorized("The API key is missing or unknown", challenge: "APIKey")
        }
    }
    gateway.group("/api") { api in
        declareProducts(on: api)
        declareCart(on: api)
    }
}

private func declareProducts(on api: Gateway) {
    let catalog = api.provider(CatalogAPI.self, upstream: "catalog")
    let stock = api.provider(StockAPI.self, upstream: "stock")
    let sellers = api.provider(SellersAPI.self, upstream: "sellers")

    // The product is required. The seller depends on it, and begins as soon as it is there, beside the
    // others.
    api.get("/products/{id}", .deadline(.seconds(3))) { request in
        let id = try request.path("id", as: Int.self)
        let product = catalog.rx.request(.product(id)).fragment().share()
        return .parts(
            product: product.map { try $0.keep("id", "name", "price").rename(["price": "cents"]) },
            reviews: catalog.rx.request(.reviews(id)).fragment().fallback([]),
            stock: stock.rx.request(.stock(id)).fragment().fallback(["available": nil]),
            seller: product.flatMap { product in
                sellers.rx.request(.seller(try product.decode(at: "/sellerId"))).fragment()
            }.optional())
    }

    // A screen that polls: late is worse than empty.
    api.get("/products/{id}/stock", .deadline(.milliseconds(800))) { request in
        let id = try request.path("id", as: Int.self)
        return .parts(stock: stock.rx.request(.stock(id)).fragment().fallback(["available": nil]))
    }

    // Async, with parameters that are all checked at once.
    api.get("/compare") { request async throws -> Answer in
        let (ids, currency) = try request.parameters(
            .query("ids", listOf: Int.self, count: 2...4, separator: ","),
            .query("currency", as: Currency.self).default(.eur))
        var products: [JSONFragment] = []
        for id in ids { products.append(try await catalog.rx.request(.product(id)).fragment().value) }
        return .json([
            "currency": .init(currency.rawValue), "products": .init(products.map(JSONLiteral.init)),
        ])
    }
}

enum Currency: String, CaseIterable, RequestValue { case eur, usd }

private func declareCart(on api: Gateway) {
    let accounts = api.provider(AccountsAPI.self, upstream: "accounts")

    // The accounts decide who is signed in: their 401 reaches the app.
    api.group("/cart", .forwardsAuthorization(to: "accounts")) { cart in
        cart.before { request in
            request[Session.self] = try await accounts.rx.request(.session).map(Session.self).value
        }

        cart.get("") { request in
            let user = try request.require(Session.self).user
            return .parts(cart: accounts.rx.request(.cart(user: user)).fragment())
        }

        // The item is written first. Then the parts that it has changed are drawn again.
        cart.post("/items") { request in
            let user = try request.require(Session.self).user
            let item = try request.json(as: CartItem.self)
            guard (1...10).contains(item.count) else {
                throw GatewayError(.cartLimit, "A cart takes 1 to 10 of a product", details: ["most": 10])
            }
            return .first(item: accounts.rx.request(.add(item, user: user)).fragment())
                .then { .parts(cart: accounts.rx.request(.cart(user: user)).fragment()).status(.created) }
        }
    }
}

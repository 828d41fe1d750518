import Sluice

struct Order: Decodable {
    enum Kind: String, Decodable {
        case book, voucher
    }

    let kind: Kind
    let euros: Double
}

func declareOrders(on gateway: Gateway) {
    let orders = gateway.counter("orders_total", labels: ["kind"], help: "Orders by kind.")
    let amounts = gateway.histogram(
        "order_amount_euros", bounds: [10, 50, 200], help: "Amounts of orders.")

    gateway.post("/orders") { request in
        let order = try request.json(as: Order.self)
        orders.add(1, order.kind.rawValue)
        amounts.observe(order.euros)
        return .json(["kind": .init(order.kind.rawValue)]).status(.created)
    }
}

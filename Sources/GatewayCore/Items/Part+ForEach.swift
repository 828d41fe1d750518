import EndpointPlans
import JSONBytes
public import Rx

/// What happens to an item whose call fails: `itemFailure` of a `forEach`.
public struct ItemFailurePolicy: Sendable {
    let failure: PlannedItems.Failure

    /// The item is `null` and the answer `PARTIAL`. The default.
    public static let null = ItemFailurePolicy(failure: .null)
    /// The item is left out and the answer is `PARTIAL`.
    public static let drop = ItemFailurePolicy(failure: .drop)
    /// The part fails with the first failure, and the other calls are cancelled.
    public static let fail = ItemFailurePolicy(failure: .fail)
}

/// Who made a list of items, and is to blame if it has too many or too few of them.
public struct ItemOrigin: Sendable {
    let origin: ValueOrigin

    /// The client: the answer is 400.
    public static let client = ItemOrigin(origin: .client)
    /// An upstream: the answer is 502. The default.
    public static let upstream = ItemOrigin(origin: .upstream)
}

extension Part {
    /// A part with a call for each item: an array of their values in the order of the items, as `forEach` of
    /// a file makes it.
    ///
    ///     .parts(products: Part.forEach(ids, from: .client, limit: 20, concurrency: 4) { id in
    ///         catalog.rx.request(.product(id)).fragment()
    ///     })
    ///
    /// A failed item makes the answer `PARTIAL` and is listed in `errors` with its index: `products[3]`.
    /// Equal GETs that end in `fragment()` are made once. `optional()` and `fallback(_:)` are for a part that
    /// has failed as a whole. At the request's deadline, or once the client has left, no further call is made
    /// and calls in flight are cancelled. A number out of its range is answered as `500 INTERNAL`.
    ///
    /// - Parameters:
    ///   - items: read up to `limit`. Without an item, the value is `[]`.
    ///   - origin: whose list it is.
    ///   - limit: the most items, 1 to 1000; by default 100. A longer list is not cut: the part fails with
    ///     `decode_error`, and no call is made.
    ///   - concurrency: the most calls in flight at once, 1 to 64; by default 8.
    ///   - itemFailure: what happens to an item whose call fails.
    ///   - atLeast: how many items must succeed, 0 to `limit`, or the part fails with the most important
    ///     failure. By default one, if there are items.
    ///   - call: makes the call for an item. It runs on the loop and must not block. An error that it throws
    ///     is the item's failure.
    public static func forEach<Items: Sequence & Sendable, Value: JSONRepresentable>(
        _ items: Items, from origin: ItemOrigin = .upstream, limit: Int? = nil, concurrency: Int? = nil,
        itemFailure: ItemFailurePolicy = .null, atLeast: Int? = nil,
        call: @escaping @Sendable (Items.Element) throws -> Single<Value>
    ) -> Part where Items.Element: Sendable {
        part(limit, concurrency, itemFailure, atLeast) { rules, environment, reveals in
            do {
                return try HandlerItemCalls.run(
                    for: items, rules, from: origin.origin, in: environment, reveals: reveals
                ) { try fragment(of: call($0)) }
            } catch {
                return .error(error)
            }
        }
    }

    /// A part with a call for each item of a list that an earlier call returns. If that call fails, its
    /// failure is the part's. A list with too many or too few items is the upstream's fault.
    ///
    ///     let cart = accounts.rx.request(.cart(user: user)).map([CartItem].self)
    ///     return .parts(products: Part.forEach(cart, limit: 20) { item in
    ///         catalog.rx.request(.product(item.product)).fragment()
    ///     })
    ///
    /// Collect the items of an `Observable` with `toArray()`. The parameters mean the same as for a list that
    /// is known.
    public static func forEach<Items: Sequence & Sendable, Value: JSONRepresentable>(
        _ items: Single<Items>, limit: Int? = nil, concurrency: Int? = nil,
        itemFailure: ItemFailurePolicy = .null, atLeast: Int? = nil,
        call: @escaping @Sendable (Items.Element) throws -> Single<Value>
    ) -> Part where Items.Element: Sendable {
        part(limit, concurrency, itemFailure, atLeast) { rules, environment, reveals in
            items.flatMap { list in
                try HandlerItemCalls.run(
                    for: list, rules, from: .upstream, in: environment, reveals: reveals
                ) { try fragment(of: call($0)) }
            }
        }
    }

    /// A part that makes its calls by these rules; a fault of the endpoint if a number is out of its range.
    private static func part(
        _ limit: Int?, _ concurrency: Int?, _ itemFailure: ItemFailurePolicy, _ atLeast: Int?,
        _ work: @escaping @Sendable (ItemRules, PartEnvironment, Bool) -> Single<ItemsEnd>
    ) -> Part {
        if let fault = PlannedItems.fault(concurrency: concurrency, limit: limit, atLeast: atLeast) {
            return Part(source: .error(EndpointFault("forEach: \(fault)")))
        }
        let rules = ItemRules(
            concurrency: concurrency, limit: limit, failure: itemFailure.failure, atLeast: atLeast)
        return Part(items: { work(rules, $0, $1) })
    }

    /// Adds no operator to a call that ends in `fragment()`, the common case.
    private static func fragment<Value: JSONRepresentable>(of single: Single<Value>) -> Single<JSONFragment> {
        (single as? Single<JSONFragment>) ?? single.map { try $0.jsonFragment() }
    }
}

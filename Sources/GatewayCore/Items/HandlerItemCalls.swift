import JSONBytes
import Locking
import Networking
import Rx

/// The calls that a handler makes for its items: equal GETs once, as far as it is known what they ask for.
final class HandlerItemCalls<Item: Sendable>: ItemCalls {
    private let items: [Item]
    private let make: @Sendable (Item) throws -> Single<JSONFragment>
    /// The part's.
    private let context: CallContext?
    /// Of the GETs, the index of the first item.
    private let first = Lock<[GetKey: Int]>([:])

    init(
        _ items: [Item], in context: CallContext?,
        _ make: @escaping @Sendable (Item) throws -> Single<JSONFragment>
    ) {
        self.items = items
        self.context = context
        self.make = make
    }

    var count: Int { items.count }

    /// The handler's code runs on the loop, for an item as everywhere.
    func isLarge(_ index: Int) -> Bool { false }

    func call(_ index: Int) throws -> ItemCall {
        let item = items[index]
        // The response to an earlier call may arrive in another context.
        let single = try CallContext.$current.withValue(context) { try make(item) }
        return ItemCall(earlier: earlier(like: single, for: index), cost: Self.cost) { single }
    }

    /// As for a path of 256 bytes: what the handler does for an item is not known.
    private static var cost: Int { ItemCall.costOfTarget * 256 }

    private func earlier(like single: Single<JSONFragment>, for index: Int) -> Int? {
        guard let key = single.getKey else { return nil }
        return first.withLock { first -> Int? in
            if let known = first[key] { return known }
            first[key] = index
            return nil
        }
    }
}

extension HandlerItemCalls {
    /// Returns the calls for a list, whose items are made into an array only as far as the limit allows.
    ///
    /// - Parameters:
    ///   - list: the items.
    ///   - origin: who is to blame for too many or too few items.
    ///   - reveals: whether the client may see the upstreams' messages.
    static func run<List: Sequence>(
        for list: List, _ rules: ItemRules, from origin: ValueOrigin, in environment: PartEnvironment,
        reveals: Bool, _ make: @escaping @Sendable (Item) throws -> Single<JSONFragment>
    ) throws(PlannedFailure) -> Single<ItemsEnd> where List.Element == Item {
        let items = Array(list.prefix(rules.limit + 1))
        guard items.count <= rules.limit else {
            throw .tooManyElements("the list", rules, from: origin)
        }
        try environment.keep(items.count * ItemCall.bytesPerElement)
        let results = ItemResults(
            rules: rules, environment: environment, origin: { origin }, reveals: reveals)
        return .create { observer in
            CallContext.$current.withValue(environment.context) { () -> any Disposable in
                let calls = HandlerItemCalls(items, in: environment.context, make)
                let run = ItemsRun(calls, results) { observer($0) }
                run.begin()
                return run
            }
        }
    }
}

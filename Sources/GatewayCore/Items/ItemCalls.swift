import EndpointPlans
import JSONBytes
import Rx

/// The calls for the elements of an array, which a plan or a handler makes. `ItemsRun` runs them.
protocol ItemCalls: Sendable {
    /// The number of elements.
    var count: Int { get }

    /// Whether the call for the element takes long to make, so that another thread makes it.
    func isLarge(_ index: Int) -> Bool

    /// Makes the call for an element. Called once for each element, in their order.
    func call(_ index: Int) throws -> ItemCall
}

/// The call for an element, which has not started.
struct ItemCall: Sendable {
    /// The index of an earlier element whose call serves this one as well; nil for none.
    let earlier: Int?
    /// How long the call took to make, as the number of bytes of a body that take as long.
    let cost: Int
    /// Called on the loop, unless there is an earlier one.
    let single: @Sendable () -> Single<JSONFragment>

    /// A byte of a target may be an element of a list, and costs as much as so many bytes of a body.
    static let costOfTarget = 16
    /// What is made in one turn of the loop: the cost of a mebibyte of bodies, about a millisecond.
    static let turn = 1 << 20
    /// What an element needs in memory besides its request and its response: its place, and the hash and the
    /// failure of its call.
    static let bytesPerElement = 256
}

/// How many calls are made, and what their failures mean.
struct ItemRules: Sendable {
    /// Calls at a time.
    let concurrency: Int
    /// The most elements.
    let limit: Int
    let failure: PlannedItems.Failure
    /// How many elements must succeed. Nil: one, if there are elements.
    let atLeast: Int?

    /// Nil for the defaults, which files have as well.
    init(concurrency: Int?, limit: Int?, failure: PlannedItems.Failure?, atLeast: Int?) {
        self.concurrency = concurrency ?? PlannedItems.standardConcurrency
        self.limit = limit ?? PlannedItems.standardLimit
        self.failure = failure ?? .null
        self.atLeast = atLeast
    }
}

/// A failed element.
struct ItemFailure: Sendable {
    /// Its index in the array.
    let index: Int
    let failure: PartFailure
}

/// How the calls for the elements of an array have ended, unless the part has failed.
struct ItemsEnd: Sendable {
    /// The array in the answer.
    let value: JSONFragment
    /// The array that references read, if any do: before members are kept, dropped and renamed.
    var readValue: JSONFragment?
    /// In the order of the elements.
    var failures: [ItemFailure] = []
}

/// Makes the calls of a part for the elements of an array, for each request again.
///
/// - Parameter reveals: whether the client may see the upstreams' messages.
typealias ItemsWork = @Sendable (_ environment: PartEnvironment, _ reveals: Bool) -> Single<ItemsEnd>

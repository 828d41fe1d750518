import JSONBytes
import Locking
@_spi(Encoded) @_spi(Records) import Networking
import Rx

/// Makes a leaf that reads others, is read by others, or calls for each element of an array. It waits for
/// what it reads.
final class LeafRun: Disposable {
    private struct State: Sendable {
        /// Leaves that it reads and that have not ended.
        var awaited: Int
        var isOver = false
        var work: (any Disposable)?
        /// The failed elements of a part that has succeeded.
        var failedItems: [ItemFailure] = []
    }

    /// Gets the end of the leaf.
    private enum Observer: Sendable {
        case value(Single<JSONFragment>.SingleObserver)
        /// Of the calls for the elements of an array.
        case items(Single<ItemsEnd>.SingleObserver)
    }

    private let leaf: PlanLeaf
    private let number: Int
    private let run: PlanRun
    private let observer: Observer
    /// Attributes the calls to the part.
    private let context: CallContext?
    private let state: Lock<State>

    private init(_ leaf: PlanLeaf, _ number: Int, _ run: PlanRun, _ observer: Observer) {
        self.leaf = leaf
        self.number = number
        self.run = run
        self.observer = observer
        context = CallContext.current
        state = Lock(State(awaited: leaf.dependencies.count))
    }

    static func single(_ leaf: PlanLeaf, _ number: Int, _ run: PlanRun) -> Single<JSONFragment> {
        .create { observer in
            let own = LeafRun(leaf, number, run, .value(observer))
            own.begin()
            return own
        }
    }

    /// Returns the calls of a leaf for the elements of an array.
    static func items(_ leaf: PlanLeaf, _ number: Int, _ run: PlanRun) -> Single<ItemsEnd> {
        .create { observer in
            let own = LeafRun(leaf, number, run, .items(observer))
            own.begin()
            return own
        }
    }

    private func begin() {
        if leaf.dependencies.isEmpty { return start() }
        context?.partBegan(at: nil)
        let ended = run.await(leaf.dependencies, by: self)
        if ended > 0 { leavesEnded(ended) }
    }

    /// One of the leaves that it reads has ended.
    func leafEnded() { leavesEnded(1) }

    private func leavesEnded(_ count: Int) {
        let isReady = state.withLock { state in
            state.awaited -= count
            return state.awaited == 0 && !state.isOver
        }
        guard isReady else { return }
        context?.partBegan(at: run.transport.scheduler.now)
        CallContext.$current.withValue(context) { prepare() }
    }

    /// What its work begins with.
    private enum Beginning: Sendable {
        /// A condition does not hold, or the array is null.
        case nothing
        case value(JSONFragment)
        case call(CallTemplate, EncodedRequest)
        case items(BoundItems, CallTemplate, [JSONFragment])
    }

    /// Makes what the work begins with, apart from the loop if it reads large parts.
    private func prepare() {
        guard run.workApart != nil, run.hasLarge(leaf.searched) else { return start() }
        PlanScope(run).apart { [self] in
            try beginning()
        } keptBy: {
            keep($0)
        } then: { [self] in
            start($0)
        }
    }

    private func start() { start(Result { try beginning() }) }

    private func start(_ beginning: Result<Beginning, any Error>) {
        switch beginning {
        case .failure(let error): fail(error)
        case .success(.nothing): succeed(.null)
        case .success(.value(let value)): succeed(value)
        case .success(.call(let call, let request)):
            if isOver { return }
            keep(
                leaf.checked(call.single(request), in: PlanScope(run)).subscribe(
                    onSuccess: { [self] in succeed($0) }, onFailure: { [self] in fail($0) }))
        case .success(.items(let items, let call, let elements)):
            if isOver { return }
            start(items, call, elements)
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func beginning() throws -> Beginning {
        let scope = PlanScope(run)
        for condition in leaf.conditions {
            if let failure = run.failure(of: condition.read) { throw failure }
            if !scope.holds(condition) { return .nothing }
        }
        if let failure = run.failure(of: leaf.read) { throw failure }
        switch leaf.work {
        case .value(let template): return .value(try scope.value(template))
        case .call(let call):
            guard let items = leaf.items else { return .call(call, try call.request(scope)) }
            guard let elements = try scope.elements(of: items) else { return .nothing }
            try scope.keep(elements.count * ItemCall.bytesPerElement)
            return .items(items, call, elements)
        }
    }

    private func start(_ items: BoundItems, _ call: CallTemplate, _ elements: [JSONFragment]) {
        let scope = PlanScope(run)
        let results = ItemResults(
            rules: items.rules, environment: scope.environment, largestValue: scope.largestValue,
            origin: { scope.origin(of: items.source) }, shapes: leaf.shapes, reveals: run.reveals,
            keepsReadValues: leaf.isRead || leaf.contract != nil)
        let planned = PlannedItemCalls(items, call, scope, elements)
        let calls = ItemsRun(planned, results) { [self] result in
            switch result {
            case .success(let ended):
                state.withLock { $0.failedItems = ended.failures }
                let value = ended.readValue ?? ended.value
                do {
                    try check(value, isWhole: ended.failures.isEmpty)
                    succeed(value, output: ended.value)
                } catch {
                    fail(error)
                }
            case .failure(let error): fail(error)
            }
        }
        keep(calls)
        calls.begin()
    }

    /// Checks the array of a `forEach`. With failed elements it is not what the upstream has sent.
    private func check(_ value: JSONFragment, isWhole: Bool) throws {
        guard let contract = leaf.contract, let reports = run.contracts else { return }
        guard isWhole else { return contract.skip(reports) }
        try contract.check(value, reports)
    }

    /// - Parameters:
    ///   - value: what references read.
    ///   - output: the value in the answer; nil if it is to be made from `value`.
    private func succeed(_ value: JSONFragment, output: JSONFragment? = nil) {
        let scope = PlanScope(run)
        guard output == nil, value.isLarge, !leaf.shapes.isEmpty else {
            return finish(value, Result { try output ?? leaf.output(value, in: scope) })
        }
        scope.apart { [leaf] in
            try leaf.output(value, in: scope)
        } keptBy: {
            keep($0)
        } then: { [self] in
            finish(value, $0)
        }
    }

    private func finish(_ value: JSONFragment, _ output: Result<JSONFragment, any Error>) {
        if close() { end(value, output) }
    }

    private func end(_ value: JSONFragment, _ output: Result<JSONFragment, any Error>) {
        switch output {
        case .success(let output): end(.value(value), .success(output))
        case .failure(let error): end(error)
        }
    }

    private func fail(_ error: any Error) {
        if close() { end(error) }
    }

    private func end(_ error: any Error) {
        guard leaf.isRead else { return report(.failure(error)) }
        let failure = PartOutcome(error: error, elapsed: 0, reveals: run.reveals).failure
        end(failure.map { .failed($0) } ?? .value(.null), .failure(error))
    }

    /// The value is kept first, because the answer may be made at once, and its fields read it.
    private func end(_ ended: PlanRun.Ended, _ event: SingleEvent<JSONFragment>) {
        let readers = leaf.isRead ? run.end(number, ended) : []
        report(event)
        for reader in readers { reader.leafEnded() }
    }

    private func report(_ event: SingleEvent<JSONFragment>) {
        switch observer {
        case .value(let observer): observer(event)
        case .items(let observer):
            let failures = state.withLock { $0.failedItems }
            observer(event.map { ItemsEnd(value: $0, failures: failures) })
        }
    }

    /// Returns whether the caller may report the end.
    private func close() -> Bool {
        var work: (any Disposable)?
        let isFirst = state.withLock { state in
            work = state.work.take()
            defer { state.isOver = true }
            return !state.isOver
        }
        // Released outside the lock.
        withExtendedLifetime(work) {}
        return isFirst
    }

    private func keep(_ work: any Disposable) {
        // The earlier work is released outside the lock.
        var kept: (any Disposable)? = work
        let isOver = state.withLock { state in
            if !state.isOver { swap(&state.work, &kept) }
            return state.isOver
        }
        if isOver { work.dispose() }
    }

    func dispose() {
        var work: (any Disposable)?
        let wasOver = state.withLock { state in
            work = state.work.take()
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver, !leaf.dependencies.isEmpty { run.stopWaiting(self) }
        work?.dispose()
    }
}

/// The integers that `range`, `timer` and `interval` count in.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: FixedWidthInteger {
    /// Emits `count` consecutive integers from `start`, one for each turn of `scheduler`, and completes. A
    /// negative count fails with `RxError.argumentOutOfRange`, a range beyond the type's maximum with
    /// `RxError.overflow`.
    @inlinable
    public static func range(
        start: Element, count: Element,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        guard count >= 0 else { return .error(RxError.argumentOutOfRange) }
        guard count > 0 else { return .from([], scheduler: scheduler) }
        let (last, overflow) = start.addingReportingOverflow(count - 1)
        guard !overflow else { return .error(RxError.overflow) }
        return GeneratedSequence(start, scheduler, { _ in true }) { number in
            guard number < last else { return false }
            number += 1
            return true
        }
    }
}

extension ObservableType {
    /// Emits `initialState` and then the results of calling `iterate` repeatedly, while `condition` holds,
    /// one for each turn of `scheduler`. An error thrown by a closure ends the stream.
    @inlinable
    @preconcurrency
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        GeneratedSequence(initialState, scheduler, condition) { state in
            state = try iterate(state)
            return true
        }
    }

    /// Emits `element` forever, once for each turn of `scheduler`.
    @inlinable
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        GeneratedSequence(element, scheduler, { _ in true }) { _ in true }
    }
}

// Sound: only the running turn touches `state` and `hasBegun`.
@usableFromInline
final class GeneratedSequence<Element: Sendable>: ScheduledSequence<Element>, @unchecked Sendable {
    private let initialState: Element
    private let condition: @Sendable (Element) throws -> Bool
    private let advance: @Sendable (inout Element) throws -> Bool
    private var state: Element
    private var hasBegun = false

    /// `advance` returns false at the last state.
    @usableFromInline
    init(
        _ initialState: Element, _ scheduler: consuming any ImmediateSchedulerType,
        _ condition: @escaping @Sendable (Element) throws -> Bool,
        _ advance: @escaping @Sendable (inout Element) throws -> Bool
    ) {
        self.initialState = initialState
        self.condition = condition
        self.advance = advance
        state = initialState
        super.init(scheduler)
    }

    override func copy() -> ScheduledSequence<Element> {
        type(of: self).init(initialState, scheduler, condition, advance)
    }

    override func sendNext() -> Bool {
        do {
            if hasBegun {
                guard try advance(&state) else { return false }
            }
            hasBegun = true
            guard try condition(state) else { return false }
            down.next(state)
        } catch {
            stop()
            down.error(error)
        }
        return true
    }
}

/// What `range`, `timer` and `interval` count in.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: FixedWidthInteger {
    /// `count` numbers from `start` on, one a turn of `scheduler`, then the end. A negative count fails with
    /// `RxError.argumentOutOfRange`, numbers beyond the type's with `RxError.overflow`.
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
    /// `initialState`, then what `iterate` makes of the one before, as long as `condition` is true of it. What a closure
    /// throws ends the stream.
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

    /// `element` without end, once a turn of `scheduler`.
    @inlinable
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        GeneratedSequence(element, scheduler, { _ in true }) { _ in true }
    }
}

/// Sends a state as long as a condition holds, and makes the next of it.
// Sound: only the running turn touches `state` and `hasBegun`.
@usableFromInline
final class GeneratedSequence<Element: Sendable>: ScheduledSequence<Element>, @unchecked Sendable {
    private let initialState: Element
    private let condition: @Sendable (Element) throws -> Bool
    private let advance: @Sendable (inout Element) throws -> Bool
    private var state: Element
    private var hasBegun = false

    /// - Parameter advance: makes the next state; false where there is none.
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

/// Finds code that holds up a loop, from times that it is told.
///
/// Code with a name, such as the code of an endpoint, says when it begins and ends. It begins when the code
/// with a name before it has ended, or with the wake, so that a beginning needs no look at the clock; unless
/// other code has run between, such as timers.
struct BlockWatch {
    /// Code that takes this long delays all clients of its loop noticeably.
    static let limit = TimeAmount.milliseconds(500)

    /// When the last code with a name ended in this wake.
    private var ended: MonotonicTime?
    /// When code was found last in this wake. What contains it is not found for the same time.
    private var found: MonotonicTime?
    private var hasOtherCode = false
    /// Code with a name may run within other code with a name.
    private var depth = 0

    mutating func wakeBegan() {
        (ended, found) = (nil, nil)
        hasOtherCode = false
    }

    /// Code without a name has run.
    mutating func otherCodeRan() { hasOtherCode = true }

    /// Code with a name begins. Returns its beginning; nil if `codeBegan(_:at:)` has to be told the time.
    mutating func codeBegan(_ wake: MonotonicTime) -> MonotonicTime? {
        guard !hasOtherCode, depth == 0 else { return nil }
        depth = 1
        return ended ?? wake
    }

    /// Code with a name begins. Returns for how long code without a name has held up the loop before it; nil
    /// if it has not.
    mutating func codeBegan(_ wake: MonotonicTime, at now: MonotonicTime) -> TimeAmount? {
        defer { depth += 1 }
        guard depth == 0 else { return nil }
        hasOtherCode = false
        return block(since: ended ?? wake, now)
    }

    /// Code with a name has ended. Returns for how long it has held up the loop; nil if it has not.
    mutating func codeEnded(_ began: MonotonicTime, at now: MonotonicTime) -> TimeAmount? {
        depth -= 1
        if depth == 0 { ended = now }
        return block(since: began, now)
    }

    /// A wake has ended. Returns for how long other code has held up the loop since the last code with a
    /// name; nil if it has not.
    mutating func wakeEnded(_ wake: MonotonicTime, at now: MonotonicTime) -> TimeAmount? {
        now - wake < Self.limit ? nil : block(since: ended ?? wake, now)
    }

    /// The loop has nobody to tell of what has run so far.
    mutating func begin(at now: MonotonicTime) { ended = now }

    private mutating func block(since began: MonotonicTime, _ now: MonotonicTime) -> TimeAmount? {
        let time = now - max(began, found ?? began)
        guard time >= Self.limit else { return nil }
        found = now
        return time
    }
}

extension EventLoop {
    /// Calls `onBlocked` from now on when code has held up the loop for half a second or more, once that has
    /// ended: with the time, and the name of the code if it has one. Call it on the loop.
    public func watchBlocks(_ onBlocked: @escaping (TimeAmount, String?) -> Void) {
        self.onBlocked = onBlocked
        blocks.begin(at: .clock())
    }

    /// Code with a name begins. Call `codeEnded` with the result. Call both on the loop.
    public func codeBegins() -> MonotonicTime {
        let wake = wakeTime
        if let began = blocks.codeBegan(wake) { return began }
        let now = MonotonicTime.clock()
        if let time = blocks.codeBegan(wake, at: now) { onBlocked?(time, nil) }
        return now
    }

    /// Code with a name has ended.
    ///
    /// - Parameters:
    ///   - began: what `codeBegins` has returned.
    ///   - name: names the code, if it has held up the loop.
    public func codeEnded(_ began: MonotonicTime, of name: @autoclosure () -> String) {
        if let time = blocks.codeEnded(began, at: .clock()) { onBlocked?(time, name()) }
    }
}

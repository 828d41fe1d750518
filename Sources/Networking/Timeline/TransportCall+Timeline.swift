extension TransportCall {
    /// Whether the request records a timeline. Checked for every call without a retain.
    package var isTimed: Bool { context?.timeline != nil }

    /// The call's position in the timeline; nil if the request records none.
    package var timeline: TimelinePosition? { context?.timeline }

    /// Returns the call for the part that subscribes to it. The call may be older than the part.
    @inline(never)
    func joiningPart(of current: CallContext?) -> TransportCall {
        guard let context else { return self }
        let joined = context.joining(current)
        return joined === context ? self : with(joined)
    }

    /// Returns the call with its own position in the timeline.
    @inline(never)
    func enteringTimeline(from current: CallContext?) -> TransportCall {
        let call = joiningPart(of: current)
        guard let context = call.context, let position = context.timeline else { return call }
        return call.with(context.with(position.call(to: upstream.name, method)))
    }
}

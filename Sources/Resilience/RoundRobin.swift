import Queues

/// A queue in which holders take turns, so that a holder with many elements does not delay the others. The
/// elements of one holder keep their order.
public struct RoundRobin<Holder: Hashable, Element> {
    /// The elements of one holder.
    fileprivate struct Line {
        var holder: Holder
        var elements = Queue<Element>()
    }

    private var lines: [Line?] = []
    /// Where the line of each holder is.
    private var places: [Holder: Int] = [:]
    /// The places without a line.
    private var free: [Int] = []
    /// The places of the lines that have elements, the next one first.
    private var order = Queue<Int>()
    /// The line of the last append. It stays when it is empty: a holder that is alone is not looked up.
    private var last: Int?
    /// The number of elements of all holders.
    public private(set) var count = 0

    /// Creates a line without elements.
    public init() {}

    /// Whether no holder has an element.
    public var isEmpty: Bool { count == 0 }

    /// Adds an element behind the others of its holder.
    public mutating func append(_ element: Element, of holder: Holder) {
        count += 1
        let place = place(of: holder)
        if lines[place]?.elements.isEmpty == true { order.append(place) }
        lines[place]?.elements.append(element)
    }

    private mutating func place(of holder: Holder) -> Int {
        if let last, lines[last]?.holder == holder { return last }
        let place = places[holder] ?? addLine(of: holder)
        if let last, lines[last]?.elements.isEmpty == true { removeLine(at: last) }
        last = place
        return place
    }

    private mutating func addLine(of holder: Holder) -> Int {
        let place = free.popLast() ?? lines.count
        if place == lines.count { lines.append(nil) }
        lines[place] = Line(holder: holder)
        places[holder] = place
        return place
    }

    private mutating func removeLine(at place: Int) {
        if let line = lines[place].take() { places[line.holder] = nil }
        free.append(place)
    }

    /// Removes the oldest element of the holder whose turn it is; nil if nobody holds one.
    public mutating func popFirst() -> (holder: Holder, element: Element)? {
        guard let place = order.popFirst(), let holder = lines[place]?.holder,
            let element = lines[place]?.elements.popFirst()
        else { return nil }
        count -= 1
        if lines[place]?.elements.isEmpty == false {
            order.append(place)
        } else if place != last {
            removeLine(at: place)
        }
        // The memory of many holders goes with their elements.
        if count == 0, lines.count > 64 { self = RoundRobin() }
        return (holder, element)
    }

    /// Removes all elements that meet a condition; the others keep their order. Returns the holders of the
    /// removed ones, each as often as it held one. Takes time for each element.
    public mutating func removeAll(where isRemoved: (Element) -> Bool) -> [Holder] {
        var kept = RoundRobin()
        var removed: [Holder] = []
        while let (holder, element) = popFirst() {
            if isRemoved(element) { removed.append(holder) } else { kept.append(element, of: holder) }
        }
        self = kept
        return removed
    }
}

extension RoundRobin.Line: Sendable where Holder: Sendable, Element: Sendable {}
extension RoundRobin: Sendable where Holder: Sendable, Element: Sendable {}

/// What a disposal still has to do, last in, first out.
///
/// A step puts what feeds it on the stack and returns, and the outermost caller works the stack off in a
/// loop. So a disposed chain of a million steps needs no more of the thread's stack than one step. The order
/// is the same as with nested calls: everything that follows from a piece of work comes before the work below
/// it.
struct DisposalStack: ~Copyable {
    private enum Work {
        case word(UInt)
        /// Links to stop, from the index on.
        case links([any InnerListMember], Int)
        /// Disposables to dispose, from the index on.
        case disposables([any Disposable], Int)
    }

    private final class Rest {
        var works: [Work] = []
    }

    /// The two uppermost pieces of work; 0 without work. Separate, so that a chain and a pair of sources
    /// allocate nothing. A word is a retained link. Its lowest bit says that `stopped(_:)` is due instead of
    /// `stop(_:)`.
    // Sound: a word holds one retain of its link, which `run()` takes over.
    private var first: UInt = 0
    private var second: UInt = 0
    /// The work below them. Unmanaged, because destroying an optional reference takes as long as stopping a
    /// link.
    // Sound: retained when it is made, released by `run()`.
    private var rest: Unmanaged<Rest>?

    private static var after: UInt { 1 }

    @inline(__always)
    init() {}

    /// Stops a link, given as a retained word, with everything that follows from it.
    // Not inlined, because the paths of its callers that stop nothing are more frequent.
    @inline(never)
    static func run(_ word: UInt) {
        var stack = DisposalStack()
        stack.first = word
        stack.runWords()
        if stack.rest != nil { stack.runAll() }
    }

    /// Adds a link to stop.
    @inline(__always)
    mutating func push(_ link: consuming Link) {
        push(word: UInt(bitPattern: Unmanaged.passRetained(link).toOpaque()))
    }

    /// Adds a call of `stopped(_:)`. Push it before the links that it waits for.
    @inline(__always)
    mutating func pushStopped(_ link: consuming Link) {
        push(word: UInt(bitPattern: Unmanaged.passRetained(link).toOpaque()) | DisposalStack.after)
    }

    /// Adds a link to stop, as a retained word.
    @inline(__always)
    mutating func push(word: UInt) {
        if first != 0 { makeRoom() }
        first = word
    }

    /// Adds links to stop, in this order.
    mutating func push(_ links: [any InnerListMember]) {
        switch links.count {
        case 0: break
        case 1: push(links[0])
        default: push(.links(links, 0))
        }
    }

    /// Disposes `disposable` or, if it is one of the library's and may own others, adds it.
    mutating func dispose(_ disposable: any Disposable) {
        // Usual, and the cast below takes longer.
        if type(of: disposable) == AnonymousDisposable.self {
            disposable.dispose()
        } else if let link = disposable as? Link, link.isDisposedByStopping {
            push(link)
        } else {
            disposable.dispose()
        }
    }

    /// Adds disposables to dispose, in this order.
    mutating func dispose(_ disposables: [any Disposable]) {
        if !disposables.isEmpty { push(.disposables(disposables, 0)) }
    }

    @inline(never)
    private mutating func makeRoom() {
        if second != 0 { append(.word(second)) }
        second = first
        first = 0
    }

    private mutating func push(_ work: Work) {
        if second != 0 { append(.word(second)) }
        if first != 0 { append(.word(first)) }
        first = 0
        second = 0
        append(work)
    }

    private mutating func append(_ work: Work) {
        let rest = self.rest ?? Unmanaged.passRetained(Rest())
        self.rest = rest
        rest._withUnsafeGuaranteedRef { $0.works.append(work) }
    }

    /// Works the stack off. Every stack has to be run.
    @inline(__always)
    mutating func run() {
        if first != 0 || rest != nil { runAll() }
    }

    @inline(never)
    private mutating func runAll() {
        repeat { runWords() } while rest != nil && runRest()
    }

    @inline(__always)
    private mutating func runWords() {
        while first != 0 {
            let word = first
            first = second
            second = 0
            run(word: word)
        }
    }

    @inline(__always)
    private mutating func run(word: UInt) {
        guard let pointer = UnsafeRawPointer(bitPattern: word & ~DisposalStack.after) else { return }
        let link = Unmanaged<Link>.fromOpaque(pointer).takeRetainedValue()
        if word & DisposalStack.after == 0 { link.stop(&self) } else { link.stopped(&self) }
    }

    /// Runs the next piece of work below the words. Returns false if none was left.
    @inline(never)
    private mutating func runRest() -> Bool {
        guard let rest, let work = rest._withUnsafeGuaranteedRef({ $0.works.popLast() }) else {
            self.rest?.release()
            self.rest = nil
            return false
        }
        switch work {
        case .word(let word):
            run(word: word)
        case .links(let links, let index):
            if index + 1 < links.count { append(.links(links, index + 1)) }
            links[index].stop(&self)
        case .disposables(let disposables, let index):
            if index + 1 < disposables.count { append(.disposables(disposables, index + 1)) }
            dispose(disposables[index])
        }
        return true
    }
}

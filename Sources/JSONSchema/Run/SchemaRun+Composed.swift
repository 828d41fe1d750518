import ASCIIText
@_spi(Reading) import JSONBytes

// Runs several nodes at one value side by side: those that hold and those that are tried. Each node runs once
// at a value, for all that ask for it, so that the work is at most the values times the nodes.

extension SchemaRun {
    /// Moves past the value at the cursor and returns whether it follows one node.
    mutating func holdsComposed(_ id: NodeID) -> Bool {
        let base = scratch.tasks.count
        beginRound()
        addTask(id, from: base)
        return runRequired(from: base)
    }

    /// Moves past the value at the cursor and returns whether it follows all nodes from `base` on.
    mutating func holdsTogether(from base: Int) -> Bool {
        let tasks = scratch.tasks.count
        beginRound()
        for index in base..<scratch.nodes.count {
            if scratch.nodes[index] == SchemaPlan.nothing { return false }
            addTask(scratch.nodes[index], from: tasks)
        }
        return runRequired(from: tasks)
    }

    private mutating func runRequired(from base: Int) -> Bool {
        let count = scratch.tasks.count
        let start = cursor.index
        defer { scratch.tasks.cut(to: base) }
        run(base..<count)
        if isStopped { return false }
        let holds = (base..<count).allSatisfy { !scratch.tasks[$0].hasFailed }
        // An explanation begins where the run stops. What is in this value may have failed without a stop.
        if !holds { cursor.index = start }
        return holds
    }

    // MARK: - Tasks

    /// Begins to collect tasks for one value.
    mutating func beginRound() {
        if scratch.stamps.isEmpty {
            scratch.stamps = ContiguousArray(repeating: (0, 0), count: tables.nodes.count)
        }
        scratch.round &+= 1
    }

    /// Adds a task for a node, unless the round has one. Returns its position in the round.
    @discardableResult
    mutating func addTask(_ node: NodeID, from base: Int) -> Int32 {
        let stamp = scratch.stamps[Int(node)]
        if stamp.round == scratch.round { return stamp.task }
        let position = Int32(truncatingIfNeeded: scratch.tasks.count &- base)
        scratch.stamps[Int(node)] = (scratch.round, position)
        scratch.tasks.append(SchemaScratch.Task(node: node))
        // A task takes about as long as two values that are checked without one.
        work &-= 2
        return position
    }

    @inline(__always)
    func node(of task: Int) -> SchemaPlan.Node { tables.nodes[Int(scratch.tasks[task].node)] }

    /// Runs the tasks of a value that were asked for, and all that they try. Moves past the value, and leaves
    /// the verdicts in these tasks.
    mutating func run(_ asked: Range<Int>) {
        let base = asked.lowerBound
        let marks = (
            branches: scratch.branches.count, words: scratch.words.count, kept: firstKept
        )
        firstKept = scratch.kept.count
        defer {
            scratch.tasks.cut(to: asked.upperBound)
            scratch.branches.cut(to: marks.branches)
            scratch.words.cut(to: marks.words)
            if scratch.kept.count > firstKept { scratch.kept.removeSubrange(firstKept...) }
            firstKept = marks.kept
        }
        let first = cursor.reader[cursor.index]
        let types = TypeSet(firstByte: first)
        expand(base, types)
        if isStopped { return }
        let tasks = base..<scratch.tasks.count
        checkValues(tasks)
        switch first {
        case Byte.openBrace: runObject(tasks)
        case Byte.openBracket: runArray(tasks)
        case Byte.quote: runString(tasks)
        case Byte.t, Byte.f, Byte.n: cursor.skipValue()
        default: runNumber(tasks)
        }
        if isStopped { return }
        for task in asked {
            let holds = fold(task, tasks)
            scratch.tasks[task].hasFailed = !holds
        }
    }

    /// Adds the tasks of all branches. Tasks of other types fail at once.
    private mutating func expand(_ base: Int, _ types: TypeSet) {
        var task = base
        while task < scratch.tasks.count, work >= 0 {
            let id = scratch.tasks[task].node
            let node = tables.nodes[Int(id)]
            if node.dispatch >= 0 {
                // The node of the type stands for the task.
                let next = tables.nodeList[Int(node.dispatch) &+ types.position]
                scratch.tasks[task].branches = Int32(truncatingIfNeeded: scratch.branches.count)
                scratch.branches.append(branch(next, base))
            } else if node.types.isDisjoint(with: types) {
                scratch.tasks[task].hasFailed = true
            } else if !node.folds.isEmpty {
                scratch.tasks[task].branches = Int32(truncatingIfNeeded: scratch.branches.count)
                for fold in node.folds.range {
                    for entry in tables.plan.folds[fold].nodes.range {
                        scratch.branches.append(branch(tables.nodeList[entry], base))
                    }
                }
            }
            task &+= 1
        }
    }

    private mutating func branch(_ node: NodeID, _ base: Int) -> Int32 {
        switch node {
        case SchemaPlan.anything: SchemaScratch.Branch.succeeds
        case SchemaPlan.nothing: SchemaScratch.Branch.fails
        default: addTask(node, from: base)
        }
    }

    /// Compares the value with the values that nodes allow. Its digest is computed once.
    private mutating func checkValues(_ tasks: Range<Int>) {
        var known: ValueDigest?
        for task in tasks where !scratch.tasks[task].hasFailed {
            let node = node(of: task)
            guard node.dispatch < 0, !node.values.isEmpty else { continue }
            let digest = known ?? digest()
            known = digest
            if !isAllowed(digest, by: node) { scratch.tasks[task].hasFailed = true }
        }
    }

    // MARK: - Scalars

    private mutating func runString(_ tasks: Range<Int>) {
        let start = cursor.index &+ 1
        let isEscaped = cursor.skipString()
        let range = start..<cursor.index &- 1
        guard isEscaped else { return runText(cursor.reader.rawBytes(range), tasks) }
        work &-= range.count &>> 4
        let decoded = decode(range)
        decoded.withUnsafeBytes { runText($0, tasks) }
        scratch.decoded = decoded
    }

    private mutating func runText(_ text: UnsafeRawBufferPointer, _ tasks: Range<Int>) {
        for task in tasks where !scratch.tasks[task].hasFailed {
            let node = node(of: task)
            if node.dispatch < 0, !isText(text, node) { scratch.tasks[task].hasFailed = true }
            if isStopped { return }
        }
    }

    private mutating func runNumber(_ tasks: Range<Int>) {
        let value = Decimal(cursor.reader, at: &cursor.index)
        for task in tasks where !scratch.tasks[task].hasFailed {
            let node = node(of: task)
            if node.dispatch < 0, !isNumber(value, node) { scratch.tasks[task].hasFailed = true }
        }
    }

    // MARK: - Parts of a value

    /// Runs the tasks that were added for a member or an element, and applies their verdicts by the links.
    mutating func runPart(_ tasks: Range<Int>, links: Int) {
        if tasks.isEmpty {
            cursor.skipValue()
            return
        }
        let node = tables.nodes[Int(scratch.tasks[tasks.lowerBound].node)]
        if tasks.count == 1, scratch.tasks[tasks.lowerBound].node == SchemaPlan.nothing {
            cursor.skipValue()
            scratch.tasks[tasks.lowerBound].hasFailed = true
        } else if tasks.count == 1, !node.isComposed, node.dispatch < 0 {
            let start = cursor.index
            let holds = holds(scratch.tasks[tasks.lowerBound].node)
            if isStopped { return }
            if !holds {
                cursor.index = start
                cursor.skipValue()
                work &-= (cursor.index &- start) &>> 5
            }
            scratch.tasks[tasks.lowerBound].hasFailed = !holds
        } else {
            run(tasks)
        }
        if isStopped { return }
        for index in links..<scratch.links.count {
            let link = scratch.links[index]
            let failed = scratch.tasks[tasks.lowerBound &+ Int(link.child)].hasFailed
            switch link.kind {
            case .must: if failed { scratch.tasks[Int(link.parent)].hasFailed = true }
            case .contains: if !failed { countContained(link) }
            case .unevaluated: break
            }
        }
    }

    private mutating func countContained(_ link: SchemaScratch.Link) {
        let task = Int(link.parent)
        if link.position < 64 { scratch.tasks[task].contained |= 1 << UInt64(link.position) }
        scratch.words[Int(scratch.tasks[task].words &+ link.position)] &+= 1
    }

    /// Whether the task that a link names has failed.
    func hasFailed(_ link: SchemaScratch.Link, _ base: Int) -> Bool {
        scratch.tasks[base &+ Int(link.child)].hasFailed
    }

    /// Makes the words of a task.
    mutating func reserveWords(_ count: Int, for task: Int) {
        scratch.tasks[task].words = Int32(truncatingIfNeeded: scratch.words.count)
        scratch.words.append(0, times: count)
        work &-= count
    }

    // MARK: - Folding

    /// The verdict of a task, when its value has ended.
    mutating func fold(_ task: Int, _ tasks: Range<Int>) -> Bool {
        if scratch.tasks[task].hasFailed { return false }
        if scratch.tasks[task].isFolded { return true }
        let node = node(of: task)
        if !node.isComposed, node.dispatch < 0 {
            scratch.tasks[task].isFolded = true
            return true
        }
        let holds = holdsInAll(task, tasks) && (tables.plan.groups.isEmpty || areEvaluated(task, tasks))
        scratch.tasks[task].hasFailed = !holds
        scratch.tasks[task].isFolded = true
        return holds
    }

    private mutating func foldBranch(_ position: Int32, _ tasks: Range<Int>) -> Bool {
        switch position {
        case SchemaScratch.Branch.succeeds: true
        case SchemaScratch.Branch.fails: false
        default: fold(tasks.lowerBound &+ Int(position), tasks)
        }
    }

    private mutating func holdsInAll(_ task: Int, _ tasks: Range<Int>) -> Bool {
        let node = node(of: task)
        var branch = Int(scratch.tasks[task].branches)
        if node.dispatch >= 0 { return foldBranch(scratch.branches[branch], tasks) }
        for index in node.folds.range {
            let fold = tables.plan.folds[index]
            let branches = branch..<branch &+ Int(fold.nodes.count)
            branch = branches.upperBound
            guard holds(fold, branches, task, tasks) else { return false }
        }
        return true
    }

    private mutating func holds(
        _ fold: SchemaPlan.Fold, _ branches: Range<Int>, _ task: Int, _ tasks: Range<Int>
    ) -> Bool {
        let first = branches.lowerBound
        switch fold.kind {
        case .anyOf:
            for branch in branches where foldBranch(scratch.branches[branch], tasks) { return true }
            return false
        case .oneOf:
            var count = 0
            for branch in branches where foldBranch(scratch.branches[branch], tasks) { count &+= 1 }
            return count == 1
        case .not: return !foldBranch(scratch.branches[first], tasks)
        case .condition:
            let holds = foldBranch(scratch.branches[first], tasks)
            return foldBranch(scratch.branches[first &+ (holds ? 1 : 2)], tasks)
        case .dependency:
            // Other values than objects have no names.
            guard isNoted(fold.name, task) else { return true }
            return foldBranch(scratch.branches[first], tasks)
        }
    }

    /// Whether the object of a task has a name whose presence matters.
    private func isNoted(_ name: Int32, _ task: Int) -> Bool {
        let node = node(of: task)
        guard node.object >= 0, cursorIsAfterObject(task) else { return false }
        let word = scratch.words[Int(scratch.tasks[task].words &+ name / 64)]
        return word >> UInt64(name % 64) & 1 == 1
    }

    /// Whether the value of the current tasks is an object: it ends with a brace.
    private func cursorIsAfterObject(_ task: Int) -> Bool {
        cursor.reader[cursor.index &- 1] == Byte.closeBrace
    }
}

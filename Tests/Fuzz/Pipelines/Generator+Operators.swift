extension Generator {
    mutating func oneStreamNode() -> Node {
        switch draw(0...49) {
        case 0, 1: .map(function())
        case 2: .filter(predicate())
        case 3: .compactMap(predicate())
        case 4: .scan(function())
        case 5: .scanInto(function())
        case 6: .reduce(function())
        case 7: .toArray
        case 8: .buffer(time(), count: draw(1...3))
        case 9: .window(time(), count: draw(1...3), first: chance(4) ? draw(1...3) : nil, joining())
        case 10: .groupBy(predicate(), first: chance(4) ? draw(1...3) : nil, joining())
        case 11: .materialize
        case 12: .dematerialize(stopsAt: draw(0...4))
        case 13: .enumerated
        case 14: .ignoreElements
        case 15: .asSingle
        case 16: .asMaybe
        case 17: .first
        case 18: .single(chance(2) ? predicate() : nil)
        case 19: .distinctUntilChanged(chance(2) ? predicate() : nil)
        case 20, 21: .take(count(1...5))
        case 22: .takeFor(longTime())
        case 23: .takeWhile(predicate(), inclusive: chance(2))
        case 24: .takeUntilPredicate(predicate(), inclusive: chance(2))
        case 25: .takeLast(count(1...4))
        case 26: .skip(draw(0...2))
        case 27: .skipFor(time())
        case 28: .skipWhile(predicate())
        case 29: .elementAt(count(0...2))
        case 30: .startWith(values())
        case 31: .ifEmptyDefault(value())
        case 32: .asResult
        case 33: .doing(function())
        case 34: .catchAndReturn(value())
        case 35: .retry(count(1...3))
        case 36: .debounce(time())
        case 37: .throttle(time(), latest: chance(2))
        case 38: .delay(time())
        case 39: .delaySubscription(time())
        case 40: .timeout(longTime())
        case 41: .deadline(draw(190...400))
        case 42: .observeOn
        case 43: .subscribeOn
        case 44: .delay(time())
        case 45: .startWith(values())
        case 46: .scan(function())
        case 47: .buffer(longTime(), count: draw(1...3))
        case 48: .window(longTime(), count: draw(1...3), first: nil, joining())
        default: .groupBy(predicate(), first: nil, joining())
        }
    }

    mutating func twoStreamNode() -> Node {
        switch draw(0...11) {
        case 0: .takeUntil
        case 1: .skipUntil
        case 2: .sample(default: chance(3) ? value() : nil)
        case 3: .ifEmptySwitch
        case 4: .withLatestFrom(function())
        case 5: .amb
        case 6: .catching(throws: chance(6))
        case 7: .timeoutOther(longTime())
        case 8: .deadlineOther(draw(190...400))
        case 9: .concatWith
        default: .retryWhen(retryTrigger())
        }
    }

    private mutating func retryTrigger() -> RetryTrigger {
        switch draw(0...4) {
        case 0: .times(draw(0...3))
        case 1: .after(time(), times: draw(0...3))
        case 2: .take(draw(0...3))
        case 3: .stream
        default: .beside
        }
    }

    mutating func manyStreamsNode() -> Node {
        switch draw(0...7) {
        case 0: .merge
        case 1: .concat
        case 2: .ambAll
        case 3: .catchSequence
        case 4: .combineLatest(function())
        case 5: .zip(function())
        case 6: .combineLatestAll(function())
        default: .zipAll(function())
        }
    }
}

/// A scheduler on which operators take one turn for each event, like RxSwift's, because tests count turns.
package protocol PerEventScheduler: SchedulerType {}

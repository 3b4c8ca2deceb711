// Fakes, vectors and arbitraries for tests of every package. Never imported by shipped code.
export { checkerDocument, configDocument, eventLog, policyWithoutId } from './arbitraries.ts'
export { type FakeClock, fakeClock } from './fake-clock.ts'
export {
  type DataPlanePath,
  FAKE_API_KEY,
  FakeControlPlane,
  type FakeHeartbeat,
  type InjectedFailure,
  type ServedDocument,
} from './fake-control-plane.ts'
export { type EventsAnswer, FakeEventStore } from './fake-event-store.ts'

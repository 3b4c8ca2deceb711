// Fakes, vectors and arbitraries for tests of every package. Never imported by shipped code.
export { checkerDocument, configDocument, eventLog, policyWithoutId } from './arbitraries.ts'

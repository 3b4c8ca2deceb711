// The harnesses that Signalbox joins, as data; the adapters themselves are sub-paths.
export { HARNESSES, type HarnessEntry, type HookWay } from './registry.ts'

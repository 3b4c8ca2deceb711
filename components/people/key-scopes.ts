export const SCOPES = [
  { value: 'ingest', name: 'ingest', does: 'register as a runtime, send events and heartbeats' },
  { value: 'read', name: 'read', does: 'read the environment’s configs, releases and runtimes' },
  {
    value: 'publish',
    name: 'publish',
    does: 'edit drafts, and publish, promote and roll back in its environment',
  },
] as const

export type Scope = (typeof SCOPES)[number]['value']

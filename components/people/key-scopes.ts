import { KEY_SCOPES, type KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'

const ALLOWS: Readonly<Record<KeyScopeName, string>> = {
  ingest: 'register as a runtime, send events and heartbeats',
  read: 'read the environment’s configs, releases and runtimes',
  publish:
    'edit drafts, publish, promote and roll back in its environment, and pause, resume and end its sessions; a key that also has ingest cannot resume them',
  'sessions:read': 'read the environment’s sessions, events, stops, denied calls and alerts',
  'approvals:answer':
    'approve and deny waiting calls of the environment; never together with ingest, for at most 90 days',
  'labels:write':
    'label sessions, calls and stops of the environment as good or bad; never together with ingest',
  'audit:read': 'read the project’s audit log',
  admin:
    'manage keys, users, environments, alert rules and annotations, within the rights of the key',
}

export const SCOPES = KEY_SCOPES.map((value) => ({ value, name: value, does: ALLOWS[value] }))

export type Scope = KeyScopeName

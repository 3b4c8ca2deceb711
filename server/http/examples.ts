// Rows that several examples of the OpenAPI document share. A test holds every example to its schema.
export const EXAMPLE_DIGEST = `sha256:${'4f'.repeat(32)}`

export const EXAMPLE_TEXT =
  '{\n  "schema_version": 1,\n  "ns": "support/triage",\n  "key": "answer",\n  "policies": [\n    { "id": "order", "type": "sequential_dependency", "dependencies": { "deploy": ["test", "build"] } }\n  ]\n}\n'

const AT = 1_795_000_000_000
const EXAMPLE_RELEASE_ID = 'rel_01JB2Q3V4W5X6Y7Z8A9B0C1D2E'

export const EXAMPLE_CONFIG = {
  ns: 'support/triage',
  key: 'answer',
  archived_at: null,
  newest_version: 3,
  live: [
    {
      environment: 'dev',
      version: 3,
      digest: EXAMPLE_DIGEST,
      release_id: EXAMPLE_RELEASE_ID,
      revision: 12,
      released_at: AT,
      author: 'key ci (sbx_ab12cd34)',
    },
  ],
}

export const EXAMPLE_DRAFT = {
  id: 'drf_01JB2Q3V4W',
  revision: 7,
  text: EXAMPLE_TEXT,
  base_version: 3,
  updated_at: AT,
  updated_by: 'Ana',
}

export const EXAMPLE_VERSION = {
  number: 3,
  digest: EXAMPLE_DIGEST,
  note: 'build before deploy',
  author: 'key ci (sbx_ab12cd34)',
  created_at: AT,
}

export const EXAMPLE_MADE_RELEASE = {
  id: EXAMPLE_RELEASE_ID,
  environment: 'dev',
  version: 3,
  previous_version: 2,
  revision: 12,
  rollout_id: null,
}

export const EXAMPLE_RELEASE = {
  ns: 'support/triage',
  key: 'answer',
  kind: 'publish' as const,
  id: EXAMPLE_RELEASE_ID,
  environment: 'dev',
  version: 3,
  previous_version: 2,
  revision: 12,
  note: 'build before deploy',
  author: 'key ci (sbx_ab12cd34)',
  created_at: AT,
}

export const EXAMPLE_ADOPTION = {
  id: EXAMPLE_RELEASE_ID,
  environment: 'dev',
  version: 3,
  revision: 12,
  created_at: AT,
  status: 'live' as const,
  applied: 1,
  total: 1,
  runtimes: [{ id: 'rt_01JB2Q3V4W', name: 'worker-1', state: 'applied' as const, reason: null }],
}

export const EXAMPLE_EXPORT = {
  export_version: 1 as const,
  project: 'default',
  exported_at: AT,
  environments: [{ name: 'dev', position: 0, requires_note: false, requires_confirm: false }],
  configs: [
    {
      ns: 'support/triage',
      key: 'answer',
      archived: false,
      versions: [
        {
          number: 1,
          digest: EXAMPLE_DIGEST,
          text: EXAMPLE_TEXT,
          note: 'first',
          author: 'Ana',
          created_at: AT,
        },
      ],
      live: [{ environment: 'dev', version: 1 }],
    },
  ],
}

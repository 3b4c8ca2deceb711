// Which config version decided, and whether it still does.
import Link from 'next/link'
import { promptPathOf } from '@/components/session/prompt-href.ts'
import { VerificationBadge } from '@/components/session/verification-badge.tsx'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigInForce } from '@/server/read-models/config-in-force.ts'
import type { SessionHead } from '@/server/read-models/session-head.ts'

function liveText(config: ConfigInForce, environment: string): string {
  if (config.liveIn.includes(environment)) return `live in ${environment}`
  if (config.liveNumber !== null) return `no longer live, v${config.liveNumber} is`
  return config.liveIn.length > 0 ? `live in ${config.liveIn.join(', ')}` : 'not live'
}

/** `9f3c…b2` of `sha256:9f3c…`. */
export function shortDigest(digest: string): string {
  const hex = digest.replace(/^sha256:/, '')
  return `${hex.slice(0, 4)}…${hex.slice(-2)}`
}

export function ConfigCard({
  config,
  digest,
  session,
}: {
  readonly config: ConfigInForce | null
  readonly digest: string | null
  readonly session: SessionHead
}) {
  const { environment } = session
  const items: KeyValue[] =
    config === null
      ? [
          {
            name: 'Version',
            value: digest === null ? 'no config was in force' : 'not published here',
          },
        ]
      : [
          {
            name: 'Version',
            value: (
              <span>
                <Link className="font-mono text-link text-mono" href={promptPathOf(config)}>
                  v{config.number}
                </Link>{' '}
                · {liveText(config, environment)}
              </span>
            ),
          },
          {
            name: 'Published',
            value: (
              <>
                <Timestamp at={config.publishedAt} style="second" />
                {config.author === null ? '' : ` by ${config.author}`}
              </>
            ),
          },
          {
            name: 'Changed since',
            value:
              config.newestNumber === config.number
                ? 'no'
                : `yes, v${config.newestNumber} is the newest`,
          },
        ]
  if (digest !== null) {
    items.push({
      name: 'Digest',
      value: (
        <code className="font-mono text-mono" title={digest}>
          {shortDigest(digest)}
        </code>
      ),
    })
  }
  items.push({ name: 'Record', value: <VerificationBadge facts={session} /> })
  return (
    <Card>
      <CardHeader title="Config" />
      <KeyValueList className="p-3" items={items} />
    </Card>
  )
}

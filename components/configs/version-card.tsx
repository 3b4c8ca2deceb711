'use client'
import { isJsonObject, type JsonValue } from '@signalbox/core'
import { valueAt } from '@/components/kit/diff/json-values.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useVersionText } from '@/components/releases/version-changes.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { type PointedRule, RulesInWords } from './rules-in-words.tsx'

/** Null: the version has no such rule. */
function pointedRule(
  text: string,
  pointer: string,
): (PointedRule & { readonly id: string }) | null {
  const document: JsonValue = JSON.parse(text)
  const steps = pointer.split('/').slice(1)
  const path = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  const value = valueAt(document, path)
  if (!isJsonObject(value) || typeof value['id'] !== 'string') return null
  return { pointer, id: value['id'], json: JSON.stringify(value, null, 2) }
}

export function VersionCard({
  config,
  number,
  pointer,
  onClose,
}: {
  readonly config: ConfigDetail
  readonly number: number
  readonly pointer: string | null
  readonly onClose: () => void
}) {
  const version = useVersionText(config, number)
  const facts = config.versions.find((one) => one.number === number)
  const { data } = version
  const pointed = data === undefined || pointer === null ? null : pointedRule(data.text, pointer)
  const place = pointed === null ? '' : `?rule=${encodeURIComponent(pointed.id)}`
  return (
    <Card>
      <CardHeader
        title={`Rules of v${number}`}
        aside={facts === undefined ? undefined : <Timestamp at={facts.createdAt} style="second" />}
        actions={
          <div className="flex gap-2">
            <LinkButton href={`${configPath(config.ns, config.key)}/edit${place}`}>
              {pointed === null ? 'Open the draft' : 'Open the rule in the draft'}
            </LinkButton>
            <Button onClick={onClose}>Close</Button>
          </div>
        }
      />
      {data !== undefined ? (
        <RulesInWords rules={data.rules} activity={null} pointed={pointed} />
      ) : version.error === null ? (
        <SkeletonRows />
      ) : (
        <ErrorState
          what={`v${number} could not be loaded.`}
          why={version.error}
          onRetry={() => void version.refetch()}
        />
      )}
    </Card>
  )
}

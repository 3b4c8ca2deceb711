'use client'
// See specs/keys.md.
import { timesText } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { type Right, useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago, Timestamp } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import { PrepareDialog, RevokeKeyDialog, SignByDialog } from './signing-key-dialogs.tsx'
import { KeyKnowledgeCard, StrandedCard } from './signing-key-knowledge.tsx'
import {
  describePrivateKey,
  type ListedKey,
  type SigningKeys,
  shortId,
} from './signing-key-words.ts'

type Asking =
  | { readonly kind: 'prepare' }
  | { readonly kind: 'sign' | 'revoke'; readonly key: ListedKey }

export function SigningKey() {
  const trpc = useTRPC()
  const query = useQuery(trpc.signingKeys.list.queryOptions())
  useReadOnChange({ kind: 'runtime' }, query)
  return (
    <SettingsFrame facts={query.data && <KeyAge keys={query.data.keys} />}>
      {query.isPending && (
        <Card>
          <SkeletonRows />
        </Card>
      )}
      {query.isError && (
        <Card>
          <ErrorState
            what="The signing key could not be loaded."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        </Card>
      )}
      {query.data !== undefined && <Keys data={query.data} />}
    </SettingsFrame>
  )
}

function KeyAge({ keys }: { readonly keys: readonly ListedKey[] }) {
  const active = keys.find(({ state }) => state === 'active')
  if (active === undefined) return '\u00a0'
  const { id, activatedAt, createdAt } = active
  const earlier = keys.filter((key) => key.activatedAt !== null && key.id !== id).length
  return earlier === 0 ? (
    <span>
      Created on <Timestamp at={createdAt} style="second" />, never rotated.
    </span>
  ) : (
    <span>
      Rotated {timesText(earlier)}, {earlier === 1 ? '' : 'last '}on{' '}
      <Timestamp at={activatedAt ?? createdAt} style="second" />.
    </span>
  )
}

function Keys({ data }: { readonly data: SigningKeys }) {
  const right = useRight('admin')
  const [asking, setAsking] = useState<Asking | null>(null)
  const active = data.keys.find(({ state }) => state === 'active')
  const next = data.keys.find(({ state }) => state === 'next')
  const over = data.keys.filter(({ state }) => state === 'retired' || state === 'revoked')
  return (
    <>
      {active !== undefined && (
        <Card>
          <CardHeader
            title="Signing key"
            aside="runtimes accept only configs signed by it"
            actions={
              next === undefined && (
                <ReasonedButton {...right} onClick={() => setAsking({ kind: 'prepare' })}>
                  Prepare a new key
                </ReasonedButton>
              )
            }
          />
          <KeyFacts item={active} />
          <CompromisedKeyRow
            right={right}
            isPrepared={next !== undefined}
            onRevoke={() => setAsking({ kind: 'revoke', key: active })}
          />
        </Card>
      )}
      {next !== undefined && (
        <KeyKnowledgeCard
          data={data}
          facts={<KeyFacts item={next} />}
          actions={
            <>
              <ReasonedButton {...right} onClick={() => setAsking({ kind: 'revoke', key: next })}>
                Revoke
              </ReasonedButton>
              <ReasonedButton
                {...right}
                variant="primary"
                onClick={() => setAsking({ kind: 'sign', key: next })}
              >
                Sign with it
              </ReasonedButton>
            </>
          }
        />
      )}
      {next === undefined && active !== undefined && (
        <StrandedCard data={data} publicKey={active.publicKey} />
      )}
      {over.length > 0 && <EarlierKeys keys={over} />}
      {asking?.kind === 'prepare' && <PrepareDialog onClose={() => setAsking(null)} />}
      {asking?.kind === 'sign' && (
        <SignByDialog data={data} item={asking.key} onClose={() => setAsking(null)} />
      )}
      {asking?.kind === 'revoke' && (
        <RevokeKeyDialog
          data={data}
          item={asking.key}
          prepared={next}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

function KeyFacts({ item }: { readonly item: ListedKey }) {
  const { id, publicKey, activatedAt, createdAt } = item
  return (
    <KeyValueList
      className="px-3 py-3"
      items={[
        { name: 'Key', value: <code title={id}>{shortId(id)}</code> },
        {
          name: activatedAt === null ? 'Prepared' : 'Activated',
          value: <Ago at={activatedAt ?? createdAt} />,
        },
        {
          name: 'Public key',
          value: (
            <span className="flex items-center gap-1">
              <code className="min-w-0 break-all">{publicKey}</code>
              <CopyButton text={publicKey} label="Copy the public key" />
            </span>
          ),
        },
        { name: 'Private key', value: <Words text={describePrivateKey(item)} /> },
        {
          name: 'Trusted by',
          value: item.isLinked
            ? 'runtimes that trust the key before it'
            : 'runtimes that were configured with it or first connected while it was active',
        },
      ]}
    />
  )
}

function CompromisedKeyRow({
  right,
  isPrepared,
  onRevoke,
}: {
  readonly right: Right
  readonly isPrepared: boolean
  readonly onRevoke: () => void
}) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 border-border border-t px-3 py-2">
      <p className="max-w-[55rem] text-small text-text-2">
        {isPrepared
          ? 'If this key is compromised, revoke it: the prepared key then signs, and runtimes that have it continue.'
          : 'Prepare a new key now, so that you can switch at once if this key is compromised.'}
      </p>
      <ReasonedButton {...right} variant="danger" onClick={onRevoke}>
        Revoke compromised key
      </ReasonedButton>
    </div>
  )
}

function EarlierKeys({ keys }: { readonly keys: readonly ListedKey[] }) {
  return (
    <Card>
      <CardHeader title="Earlier keys" aside="no longer used for signing" />
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Key</HeadCell>
            <HeadCell>State</HeadCell>
            <HeadCell>Signed from</HeadCell>
            <HeadCell>Until</HeadCell>
            <HeadCell>Private key</HeadCell>
          </tr>
        </thead>
        <tbody>
          {keys.map((item) => (
            <Row key={item.id}>
              <Cell>
                <code title={item.id}>{shortId(item.id)}</code>
              </Cell>
              <Cell label="State" className={item.state === 'revoked' ? 'text-deny-fg' : undefined}>
                {item.state}
              </Cell>
              <Cell label="Signed from">
                {item.activatedAt === null ? (
                  'never'
                ) : (
                  <Timestamp at={item.activatedAt} style="second" />
                )}
              </Cell>
              <Cell label="Until">
                {item.endedAt !== null && <Timestamp at={item.endedAt} style="second" />}
              </Cell>
              <Cell label="Private key" className="max-w-none whitespace-normal sm:min-w-60">
                <Words text={describePrivateKey(item)} />
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

'use client'
// Dialogs of the two steps that cannot be undone: activating the prepared key, and revoking a compromised one.
import { plural } from '@signalbox/core/analysis'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { UnawareList } from './signing-key-knowledge.tsx'
import {
  countRuntimes,
  describeActivation,
  knowledgeText,
  type ListedKey,
  outlook,
  type SigningKeys,
  shortId,
} from './signing-key-words.ts'
import { useSigningKeyChanges } from './use-signing-key-changes.ts'

export function PrepareDialog({ onClose }: { readonly onClose: () => void }) {
  const { prepare } = useSigningKeyChanges(onClose)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Prepare a new key"
      description="Runtimes learn the key with their next heartbeat. The active key keeps signing until you switch."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={prepare.isPending} onClick={() => prepare.mutate()}>
            Prepare key
          </Button>
        </>
      }
    >
      <p>
        You can then switch at once if the active key is compromised: runtimes that have the new key
        accept it.
      </p>
      {prepare.isError && <ErrorLine>No key was prepared. {prepare.error.message}</ErrorLine>}
    </Dialog>
  )
}

export function SignByDialog({
  data,
  item,
  onClose,
}: {
  readonly data: SigningKeys
  readonly item: ListedKey
  readonly onClose: () => void
}) {
  const { activate } = useSigningKeyChanges(onClose)
  const count = countRuntimes(data)
  const title = `Sign with ${shortId(item.id)}`
  const effect = describeActivation(data)
  if (count.knows < count.total)
    return (
      <TypedConfirm
        onClose={onClose}
        title={title}
        effect={effect}
        word={data.word}
        action="Sign with it"
        onConfirm={(typedName) => activate.mutateAsync({ id: item.id, typedName })}
      >
        <p className="font-medium">{knowledgeText(count)}</p>
        <UnawareList unaware={data.unaware} say={outlook} />
      </TypedConfirm>
    )
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={effect}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={activate.isPending}
            onClick={() => activate.mutate({ id: item.id })}
          >
            Sign with it
          </Button>
        </>
      }
    >
      <p>{knowledgeText(count)}</p>
      {activate.isError && <ErrorLine>The key was not changed. {activate.error.message}</ErrorLine>}
    </Dialog>
  )
}

export function RevokeKeyDialog({
  data,
  item,
  prepared,
  onClose,
}: {
  readonly data: SigningKeys
  readonly item: ListedKey
  readonly prepared: ListedKey | undefined
  readonly onClose: () => void
}) {
  const { revoke } = useSigningKeyChanges(onClose)
  return (
    <TypedConfirm
      onClose={onClose}
      title={`Revoke ${shortId(item.id)}`}
      effect="The server never signs with it again, neither configs nor records of other keys. This cannot be undone."
      word={data.word}
      action="Revoke key"
      onConfirm={(typedName) => revoke.mutateAsync({ id: item.id, typedName })}
    >
      <p className="text-text-2">{describeRevocation(data, item, prepared)}</p>
    </TypedConfirm>
  )
}

function describeRevocation(
  data: SigningKeys,
  item: ListedKey,
  prepared: ListedKey | undefined,
): string {
  const count = countRuntimes(data)
  const { knows } = count
  const machines =
    'on each of their machines SIGNALBOX_PUBLIC_KEY must be set to the new key; this page names them afterwards.'
  if (item.state === 'next')
    return `The active key keeps signing. ${plural(knows, 'connected runtime')} ${knows === 1 ? 'has' : 'have'} the revoked key and will accept no other in its place: ${machines}`
  if (prepared === undefined)
    return `No key is prepared, so a new one signs from now on. An attacker could sign a key record, too, so no record announces the new key: every runtime keeps its version and refuses new configs, and ${machines}`
  return `The prepared key ${shortId(prepared.id)} signs from now on. ${knowledgeText(count)} Runtimes that have it continue. Others cannot distinguish an attacker's key: ${machines}`
}

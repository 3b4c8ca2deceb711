import path from 'node:path'
import { env } from '@/server/platform/base/env.ts'
import { openS3Store } from './s3-store.ts'
import { type ArchiveStore, openFolderStore } from './store.ts'

export function openArchive(): ArchiveStore {
  const { SIGNALBOX_ARCHIVE, SIGNALBOX_DATA_DIR, ...others } = env()
  const [, name, prefix = ''] = /^s3:\/\/([^/]+)\/*(.*)$/.exec(SIGNALBOX_ARCHIVE ?? '') ?? []
  if (name !== undefined) {
    const { SIGNALBOX_S3_REGION: region, SIGNALBOX_S3_ENDPOINT: address } = others
    return openS3Store({
      name,
      prefix: prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`,
      region,
      endpoint: (address ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, ''),
      // The environment was refused without them.
      keyId: others.SIGNALBOX_S3_KEY_ID ?? '',
      secret: others.SIGNALBOX_S3_SECRET ?? '',
    })
  }
  return openFolderStore(
    path.resolve(SIGNALBOX_ARCHIVE ?? path.join(SIGNALBOX_DATA_DIR ?? '.signalbox', 'archive')),
  )
}

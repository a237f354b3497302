import * as z from 'zod'

/** Returns the schema of an object. It is built at its first use, because a start uses few of the schemas it loads. */
export const objectOf = <S extends z.ZodRawShape>(shape: () => S) => z.lazy(() => z.object(shape()))

/** Works like `objectOf`, but the object refuses unknown members. */
export const strictObjectOf = <S extends z.ZodRawShape>(shape: () => S) =>
  z.lazy(() => z.strictObject(shape()))

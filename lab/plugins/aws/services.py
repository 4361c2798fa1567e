"""Queues, rules, log groups and keys."""

from typing import Any

from lab.plugins.aws.ec2 import first
from lab.plugins.aws.iam import changed_tags
from lab.plugins.aws.kind import Aws, Kind, Props, given, or_gone, tag_list, tag_map, until_free


class Queue(Kind):
    """aws.sqs.Queue."""

    token = "aws:sqs/queue:Queue"
    inputs = frozenset({"name", "messageRetentionSeconds", "sqsManagedSseEnabled", "kmsMasterKeyId"})
    replaces = frozenset({"name"})
    defaults = {"messageRetentionSeconds": 345600}
    autoname = "name"
    taggable = True
    attributes = {
        "messageRetentionSeconds": "MessageRetentionPeriod",
        "sqsManagedSseEnabled": "SqsManagedSseEnabled",
        "kmsMasterKeyId": "KmsMasterKeyId",
    }

    def _to_aws(self, new: Props) -> dict[str, str]:
        return {theirs: _text(new[ours]) for ours, theirs in self.attributes.items() if new.get(ours) is not None}

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("sqs").create_queue(QueueName=new["name"], Attributes=self._to_aws(new), tags=new["tagsAll"])
        return str(made["QueueUrl"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        sqs = aws.client("sqs")
        answer = or_gone(lambda: sqs.get_queue_attributes(QueueUrl=resource_id, AttributeNames=["All"]))
        if answer is None:
            return None
        found = answer["Attributes"]
        return {
            "arn": found["QueueArn"],
            "url": resource_id,
            "name": resource_id.rsplit("/", 1)[-1],
            "messageRetentionSeconds": int(found.get("MessageRetentionPeriod", 345600)),
            "sqsManagedSseEnabled": str(found.get("SqsManagedSseEnabled", "false")).lower() == "true",
            "kmsMasterKeyId": found.get("KmsMasterKeyId") or None,
            "tagsAll": dict(sqs.list_queue_tags(QueueUrl=resource_id).get("Tags") or {}),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        sqs = aws.client("sqs")
        sqs.set_queue_attributes(QueueUrl=resource_id, Attributes=self._to_aws(new))
        gone, set_ = changed_tags(old, new)
        if gone:
            sqs.untag_queue(QueueUrl=resource_id, TagKeys=gone)
        if set_:
            sqs.tag_queue(QueueUrl=resource_id, Tags=set_)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("sqs").delete_queue(QueueUrl=resource_id))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) else str(value)


class QueuePolicy(Kind):
    """aws.sqs.QueuePolicy."""

    token = "aws:sqs/queuePolicy:QueuePolicy"
    inputs = frozenset({"queueUrl", "policy"})
    replaces = frozenset({"queueUrl"})
    documents = frozenset({"policy"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("sqs").set_queue_attributes(QueueUrl=new["queueUrl"], Attributes={"Policy": new["policy"]})
        return str(new["queueUrl"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        call = aws.client("sqs").get_queue_attributes
        answer = or_gone(lambda: call(QueueUrl=resource_id, AttributeNames=["Policy"]))
        policy = (answer or {}).get("Attributes", {}).get("Policy")
        return {"queueUrl": resource_id, "policy": policy} if policy else None

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        self.create(aws, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        call = aws.client("sqs").set_queue_attributes
        or_gone(lambda: call(QueueUrl=resource_id, Attributes={"Policy": ""}))


class EventRule(Kind):
    """aws.cloudwatch.EventRule on the default bus."""

    token = "aws:cloudwatch/eventRule:EventRule"
    inputs = frozenset({"name", "description", "eventPattern"})
    replaces = frozenset({"name"})
    autoname = "name"
    taggable = True
    documents = frozenset({"eventPattern"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("events").put_rule(
            Name=new["name"],
            Tags=tag_list(new["tagsAll"]),
            **given(EventPattern=new.get("eventPattern"), Description=new.get("description")),
        )
        return str(new["name"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        events = aws.client("events")
        rule = or_gone(lambda: events.describe_rule(Name=resource_id))
        if rule is None:
            return None
        return {
            "arn": rule["Arn"],
            "name": rule["Name"],
            "description": rule.get("Description"),
            "eventPattern": rule.get("EventPattern"),
            "state": rule.get("State", "ENABLED"),
            "tagsAll": tag_map(events.list_tags_for_resource(ResourceARN=rule["Arn"]).get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        events = aws.client("events")
        call = given(EventPattern=new.get("eventPattern"), Description=new.get("description"))
        arn = events.put_rule(Name=resource_id, **call)["RuleArn"]
        gone, set_ = changed_tags(old, new)
        if gone:
            events.untag_resource(ResourceARN=arn, TagKeys=gone)
        if set_:
            events.tag_resource(ResourceARN=arn, Tags=tag_list(set_))

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("events").delete_rule(Name=resource_id))


class EventTarget(Kind):
    """aws.cloudwatch.EventTarget."""

    token = "aws:cloudwatch/eventTarget:EventTarget"
    inputs = frozenset({"rule", "targetId", "arn"})
    replaces = frozenset({"rule", "targetId"})

    def create(self, aws: Aws, new: Props) -> str:
        target = {"Id": new["targetId"], "Arn": new["arn"]}
        aws.client("events").put_targets(Rule=new["rule"], Targets=[target])
        return f"{new['rule']}-{new['targetId']}"

    def imported(self, resource_id: str) -> tuple[str, Props]:
        rule, target = resource_id.split("/", 1)
        return f"{rule}-{target}", {"rule": rule, "targetId": target}

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("events").list_targets_by_rule(Rule=known["rule"]))
        for target in (answer or {}).get("Targets", []):
            if target["Id"] == known["targetId"]:
                return {"rule": known["rule"], "targetId": target["Id"], "arn": target["Arn"]}
        return None

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        self.create(aws, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        call = aws.client("events").remove_targets
        or_gone(lambda: call(Rule=known["rule"], Ids=[known["targetId"]]))


class LogGroup(Kind):
    """aws.cloudwatch.LogGroup."""

    token = "aws:cloudwatch/logGroup:LogGroup"
    inputs = frozenset({"name", "retentionInDays"})
    replaces = frozenset({"name"})
    autoname = "name"
    taggable = True

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("logs").create_log_group(logGroupName=new["name"], tags=new["tagsAll"])
        self._retain(aws, new)
        return str(new["name"])

    @staticmethod
    def _retain(aws: Aws, new: Props) -> None:
        if new.get("retentionInDays"):
            days = int(new["retentionInDays"])
            aws.client("logs").put_retention_policy(logGroupName=new["name"], retentionInDays=days)

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        logs = aws.client("logs")
        for group in logs.describe_log_groups(logGroupNamePrefix=resource_id)["logGroups"]:
            if group["logGroupName"] == resource_id:
                arn = group["arn"].removesuffix(":*")
                return {
                    "arn": arn,
                    "name": resource_id,
                    "retentionInDays": group.get("retentionInDays", 0) or None,
                    "tagsAll": dict(logs.list_tags_log_group(logGroupName=resource_id).get("tags") or {}),
                }
        return None

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        self._retain(aws, new)
        gone, set_ = changed_tags(old, new)
        if gone:
            aws.client("logs").untag_log_group(logGroupName=resource_id, tags=gone)
        if set_:
            aws.client("logs").tag_log_group(logGroupName=resource_id, tags=set_)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("logs").delete_log_group(logGroupName=resource_id))


class Key(Kind):
    """aws.kms.Key."""

    token = "aws:kms/key:Key"
    inputs = frozenset({"description", "enableKeyRotation", "deletionWindowInDays", "policy"})
    taggable = True
    documents = frozenset({"policy"})

    def create(self, aws: Aws, new: Props) -> str:
        kms = aws.client("kms")
        tags = [{"TagKey": key, "TagValue": value} for key, value in new["tagsAll"].items()]
        made = kms.create_key(Tags=tags, **given(Description=new.get("description"), Policy=new.get("policy")))
        key_id = str(made["KeyMetadata"]["KeyId"])
        if new.get("enableKeyRotation"):
            kms.enable_key_rotation(KeyId=key_id)
        return key_id

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        kms = aws.client("kms")
        answer = or_gone(lambda: kms.describe_key(KeyId=resource_id))
        if answer is None or answer["KeyMetadata"].get("KeyState") == "PendingDeletion":
            return None
        key = answer["KeyMetadata"]
        rotation = kms.get_key_rotation_status(KeyId=resource_id)
        return {
            "arn": key["Arn"],
            "keyId": key["KeyId"],
            "description": key.get("Description"),
            "enableKeyRotation": bool(rotation["KeyRotationEnabled"]),
            "deletionWindowInDays": known.get("deletionWindowInDays"),
            "policy": known.get("policy"),
            "tagsAll": tag_map(kms.list_resource_tags(KeyId=resource_id).get("Tags"), "TagKey", "TagValue"),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        kms = aws.client("kms")
        kms.update_key_description(KeyId=resource_id, Description=new.get("description") or "")
        switch = kms.enable_key_rotation if new.get("enableKeyRotation") else kms.disable_key_rotation
        switch(KeyId=resource_id)
        gone, set_ = changed_tags(old, new)
        if gone:
            kms.untag_resource(KeyId=resource_id, TagKeys=gone)
        if set_:
            kms.tag_resource(KeyId=resource_id, Tags=[{"TagKey": k, "TagValue": v} for k, v in set_.items()])

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        days = int(known.get("deletionWindowInDays") or 30)
        until_free(lambda: aws.client("kms").schedule_key_deletion(KeyId=resource_id, PendingWindowInDays=days))


class Alias(Kind):
    """aws.kms.Alias."""

    token = "aws:kms/alias:Alias"
    inputs = frozenset({"name", "targetKeyId"})
    replaces = frozenset({"name"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("kms").create_alias(AliasName=new["name"], TargetKeyId=new["targetKeyId"])
        return str(new["name"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        pages = aws.client("kms").get_paginator("list_aliases").paginate()
        found = [alias for page in pages for alias in page["Aliases"] if alias["AliasName"] == resource_id]
        alias = first({"found": found}, "found")
        if alias is None:
            return None
        return {"name": resource_id, "arn": alias["AliasArn"], "targetKeyId": alias.get("TargetKeyId")}

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        aws.client("kms").update_alias(AliasName=resource_id, TargetKeyId=new["targetKeyId"])

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("kms").delete_alias(AliasName=resource_id))
